// SPDX-License-Identifier: Apache-2.0
// Compiled methods, and those whose code was compiled ahead. A method is compiled anew when it
// turns out to be hot: then its number stays.
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

bool wants_jit() { return settings().common.events.jit; }

void note_jit(event::JitStage stage, RuntimeId function, std::uint32_t number, HResult status) {
  if (!wants_jit()) return;
  event::Jit details;
  details.stage = stage;
  details.status = static_cast<std::uint32_t>(status);
  details.runtime_id = function;
  note(details, number);
}

void start(event::JitStage stage, RuntimeId function) {
  start_waiting_events(function);
  if (wants_jit()) note_jit(stage, function, reserve_method(function), kOk);
}

// Methods whose calls are recorded are told here, before they run.
void finish(RuntimeId function, HResult status) {
  if (status < 0)
    return note_jit(event::JitStage::failed, function, reserve_method(function), status);
  if (!wants_jit() && !(settings().common.events.calls && is_wanted(function))) return;
  note_jit(event::JitStage::end, function, compiled_method(function), status);
}

}  // namespace

HResult on_jit_started(RuntimeId function, Bool) {
  start(event::JitStage::start, function);
  return kOk;
}
HResult on_jit_finished(RuntimeId function, HResult status, Bool) {
  finish(function, status);
  return kOk;
}

HResult on_dynamic_jit_started(RuntimeId function, Bool, const std::uint8_t*, std::uint32_t) {
  start(event::JitStage::start, function);
  return kOk;
}
HResult on_dynamic_jit_finished(RuntimeId function, HResult status, Bool) {
  finish(function, status);
  return kOk;
}

// The code that was found is taken.
HResult on_search_started(RuntimeId function, Bool* use) {
  *use = 1;
  start(event::JitStage::cached_start, function);
  return kOk;
}
HResult on_search_finished(RuntimeId function, std::int32_t result) {
  constexpr std::int32_t kFound = 0;
  if (!wants_jit()) return kOk;
  const std::uint32_t number =
      result == kFound ? method_number(function) : reserve_method(function);
  note_jit(event::JitStage::cached_end, function, number, kOk);
  return kOk;
}

HResult on_function_unloading(RuntimeId function) {
  if (wants_jit()) note_jit(event::JitStage::freed, function, reserve_method(function), kOk);
  forget_method(function);
  return kOk;
}

}  // namespace polytrace::agent::coreclr
