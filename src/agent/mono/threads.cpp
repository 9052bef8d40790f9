// SPDX-License-Identifier: Apache-2.0
// Threads have numbers of our own, because the runtime's ids come again.
#include <unistd.h>

#include "agent/mono/callbacks.hpp"
#include "agent/mono/note.hpp"
#include "agent/mono/pointer_table.hpp"

namespace polytrace::agent::mono {
namespace {

PointerTable g_threads;  // the runtime's id to our number

const void* key_of(uintptr_t id) { return reinterpret_cast<const void*>(id); }

// On the new thread.
void on_started(MonoProfiler*, uintptr_t id) {
  number_thread();
  event::Thread details;
  details.os_thread = static_cast<base::Id>(gettid());
  const Recording recording;
  const Locked locked(g_threads);
  g_threads.put(key_of(id), t_marks.number);
  tell(details, t_marks.number);
}

// On the thread that ends.
void on_stopped(MonoProfiler*, uintptr_t id) {
  event::Thread details;
  details.life = event::Life::end;
  note(details, t_marks.number);
  const Recording recording;
  const Locked locked(g_threads);
  g_threads.put(key_of(id), 0);
  end_thread();
}

// On any thread.
void on_named(MonoProfiler*, uintptr_t id, const char* name) {
  event::Thread details;
  details.life = event::Life::name;
  details.name = or_empty(name);
  const Recording recording;
  const Locked locked(g_threads);
  if (const std::uint64_t number = g_threads.find(key_of(id)); number != 0) tell(details, number);
}

}  // namespace

void install_threads(MonoProfilerHandle runtime) {
  mono_profiler_set_thread_started_callback(runtime, on_started);
  mono_profiler_set_thread_stopped_callback(runtime, on_stopped);
  mono_profiler_set_thread_name_callback(runtime, on_named);
}

}  // namespace polytrace::agent::mono
