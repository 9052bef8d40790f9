// SPDX-License-Identifier: Apache-2.0
// Exceptions and locks.
#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/settings.hpp"
#include "agent/mono/stacks/stacks.hpp"

namespace polytrace::agent::mono {
namespace {

void on_throw(MonoProfiler*, MonoObject* exception) {
  StackFrames frames;
  frames.walk();
  event::Throw details;
  details.class_id = class_of(exception);
  details.stack = frames.stack();
  note(details, address_of(exception), frames.lists());
}

event::ClauseKind kind_of(MonoExceptionEnum type) {
  switch (type) {
    case MONO_EXCEPTION_CLAUSE_FILTER: return event::ClauseKind::filter;
    case MONO_EXCEPTION_CLAUSE_FINALLY: return event::ClauseKind::finally;
    case MONO_EXCEPTION_CLAUSE_FAULT: return event::ClauseKind::fault;
    default: return event::ClauseKind::catch_clause;
  }
}

// Without exception: a finally clause that runs in the ordinary course; the object is 0 then.
void on_clause(MonoProfiler*, MonoMethod* method, uint32_t index, MonoExceptionEnum type,
               MonoObject* exception) {
  note(event::Clause{.clause = kind_of(type), .number = index, .object = address_of(exception)},
       method_number(method));
}

void note_monitor(event::MonitorStage stage, MonoObject* object) {
  StackFrames frames;
  frames.walk();
  event::Monitor details;
  details.stage = stage;
  details.class_id = class_of(object);
  details.stack = frames.stack();
  note(details, address_of(object), frames.lists());
}
void on_contention(MonoProfiler*, MonoObject* object) {
  note_monitor(event::MonitorStage::contended, object);
}
void on_acquired(MonoProfiler*, MonoObject* object) {
  note_monitor(event::MonitorStage::acquired, object);
}
void on_failed(MonoProfiler*, MonoObject* object) {
  note_monitor(event::MonitorStage::failed, object);
}

}  // namespace

void install_faults(MonoProfilerHandle runtime) {
  if (settings().common.events.exceptions) {
    mono_profiler_enable_clauses();
    mono_profiler_set_exception_throw_callback(runtime, on_throw);
    mono_profiler_set_exception_clause_callback(runtime, on_clause);
  }
  if (settings().common.events.monitors) {
    mono_profiler_set_monitor_contention_callback(runtime, on_contention);
    mono_profiler_set_monitor_acquired_callback(runtime, on_acquired);
    mono_profiler_set_monitor_failed_callback(runtime, on_failed);
  }
}

}  // namespace polytrace::agent::mono
