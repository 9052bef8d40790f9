// SPDX-License-Identifier: Apache-2.0
// Enter and leave of instrumented methods. The runtime asks once per method, when it compiles it,
// whether it is wanted; callbacks of a method that is not are never compiled in.
#include <string>

#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/settings.hpp"

namespace polytrace::agent::mono {
namespace {

// Whether methods are wanted, by pointer: 1 no, 2 yes.
PointerTable g_verdicts;
constexpr std::uint64_t kNo = 1;
constexpr std::uint64_t kYes = 2;

// Filters know dots only.
std::string dotted_name(MonoClass* type) {
  std::string name;
  if (MonoClass* outer = mono_class_get_nesting_type(type); outer != nullptr)
    name = dotted_name(outer) + '.';
  if (const auto space = or_empty(mono_class_get_namespace(type)); !space.empty())
    name.append(space).append(1, '.');
  return name.append(or_empty(mono_class_get_name(type)));
}

bool is_wanted(MonoMethod* method) {
  const Filters& filters = settings().common.filters;
  if (filters.empty()) return true;
  if (const std::uint64_t known = g_verdicts.find(method); known != 0) return known == kYes;
  const bool wanted = filters.includes(dotted_name(mono_method_get_class(method)),
                                       or_empty(mono_method_get_name(method)));
  const Recording recording;
  const Locked locked(g_verdicts);
  g_verdicts.put(method, wanted ? kYes : kNo);
  return wanted;
}

MonoProfilerCallInstrumentationFlags filter(MonoProfiler*, MonoMethod* method) {
  if (!is_wanted(method)) return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
  return static_cast<MonoProfilerCallInstrumentationFlags>(
      MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
      MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL |
      MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE);
}

// A stack sample must not come into the middle of a record; without samples nobody asks.
template <bool kSampled>
struct MarkIf {};
template <>
struct MarkIf<true> {
  Recording recording;
};

template <bool kSampled>
void on_enter(MonoProfiler*, MonoMethod* method, MonoProfilerCallContext*) {
  const std::uint32_t number = method_number(method);
  [[maybe_unused]] const MarkIf<kSampled> mark;
  enter(number);
}

template <bool kSampled>
void on_leave(MonoProfiler*, MonoMethod* method, MonoProfilerCallContext*) {
  const std::uint32_t number = method_number(method);
  [[maybe_unused]] const MarkIf<kSampled> mark;
  leave(number);
}

// The frame makes way for the method it calls.
template <bool kSampled>
void on_tail_call(MonoProfiler* profiler, MonoMethod* method, MonoMethod*) {
  on_leave<kSampled>(profiler, method, nullptr);
}

// Comes also for frames that are not instrumented.
void on_unwind(MonoProfiler*, MonoMethod* method, MonoObject*) {
  if (!is_wanted(method)) return;
  const std::uint32_t number = method_number(method);
  const Recording recording;
  unwind(number);
}

template <bool kSampled>
void install_enter_leave(MonoProfilerHandle runtime) {
  mono_profiler_set_method_enter_callback(runtime, on_enter<kSampled>);
  mono_profiler_set_method_leave_callback(runtime, on_leave<kSampled>);
  mono_profiler_set_method_tail_call_callback(runtime, on_tail_call<kSampled>);
  mono_profiler_set_method_exception_leave_callback(runtime, on_unwind);
}

}  // namespace

void install_calls(MonoProfilerHandle runtime) {
  if (!settings().common.events.calls) return;
  mono_profiler_set_call_instrumentation_filter_callback(runtime, filter);
  if (settings().common.events.sample_interval != 0) install_enter_leave<true>(runtime);
  else install_enter_leave<false>(runtime);
}

}  // namespace polytrace::agent::mono
