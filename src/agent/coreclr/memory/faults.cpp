// SPDX-License-Identifier: Apache-2.0
// Exceptions, and the clauses that run because of them.
#include "agent/coreclr/calls/stacks.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

bool wants_exceptions() { return settings().common.events.exceptions; }

void note_clause(event::ClauseKind kind, RuntimeId function, RuntimeId object) {
  event::Clause details;
  details.clause = kind;
  details.object = object;
  note(details, method_number(function));
}

}  // namespace

HResult on_thrown(RuntimeId object) {
  if (!wants_exceptions()) return kOk;
  RuntimeId type = 0;
  event::Throw details;
  if (ask(info::kGetClassFromObject, object, &type)) details.class_id = class_facts(type).number;
  StackFrames frames;
  frames.walk();
  details.stack = frames.stack();
  note(details, object, frames.lists());
  return kOk;
}

HResult on_catch_enter(RuntimeId function, RuntimeId object) {
  if (wants_exceptions()) note_clause(event::ClauseKind::catch_clause, function, object);
  return kOk;
}

HResult on_finally_enter(RuntimeId function) {
  if (wants_exceptions()) note_clause(event::ClauseKind::finally, function, 0);
  return kOk;
}

}  // namespace polytrace::agent::coreclr
