// SPDX-License-Identifier: Apache-2.0
// Enter and leave. The runtime asks once per method, when it compiles it, whether calls are wanted
// and what the hooks shall get: the method's number. What is not wanted has no hooks compiled in.
// Frames that an exception leaves have no leave: the unwinder's callbacks tell them.
#include <algorithm>
#include <array>

#include "agent/coreclr/calls/hooks.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

RuntimeId map_function(RuntimeId function, void*, Bool* hook) {
  *hook = is_wanted(function) ? 1 : 0;
  return *hook != 0 ? reserve_method(function) : function;
}

// Frames that are being unwound, of a thread, innermost last. A frame whose finally clause throws
// never ends; when there is no room, such are at the bottom.
struct Unwinding {
  std::array<RuntimeId, 64> functions;
  std::size_t count;
};
thread_local constinit Unwinding t_unwinding __attribute__((tls_model("initial-exec"))){};

}  // namespace

bool set_hooks() {
  return ask(info::kSetFunctionIDMapper2, &map_function, nullptr) &&
         ask(info::kSetEnterLeaveFunctionHooks3, &polytrace_coreclr_enter, &polytrace_coreclr_leave,
             &polytrace_coreclr_leave);
}

// What is inlined has no hooks.
HResult on_inlining(RuntimeId, RuntimeId callee, Bool* wanted) {
  *wanted = settings().inlining || !settings().common.events.calls || !is_wanted(callee) ? 1 : 0;
  return kOk;
}

HResult on_unwind_enter(RuntimeId function) {
  Unwinding& unwinding = t_unwinding;
  auto& functions = unwinding.functions;
  if (unwinding.count == functions.size()) {
    std::copy(functions.begin() + 1, functions.end(), functions.begin());
    --unwinding.count;
  }
  functions[unwinding.count++] = function;
  return kOk;
}

HResult on_unwind_leave() {
  Unwinding& unwinding = t_unwinding;
  if (unwinding.count == 0) return kOk;
  const RuntimeId function = unwinding.functions[--unwinding.count];
  if (!settings().common.events.calls || !is_known_wanted(function)) return kOk;
  number_thread();
  unwind(method_number(function));
  return kOk;
}

}  // namespace polytrace::agent::coreclr

extern "C" void polytrace_coreclr_record_slowly(std::uint64_t word, std::uint64_t follows) {
  polytrace::agent::record_word_slowly(word, follows);
}
