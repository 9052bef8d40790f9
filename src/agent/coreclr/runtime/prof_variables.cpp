// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/runtime/prof_variables.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace polytrace::agent::coreclr {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

enum class CallMethod { none, instrumentation, sampling };

// What the variables say, before it becomes settings: some are switches over others.
struct Wanted {
  bool any = false;
  CallMethod method = CallMethod::none;
  std::uint64_t interval = 10 * kMillisecond;
  bool execution = false;
  bool memory = false;
  bool stacks = true;
  bool collections = false;
  bool high_granularity = true;
  bool delayed = false;
  bool lines = false;
  bool cpu = false;
  bool cpu_process = false;
  bool cpu_threads = false;
  std::uint64_t cpu_interval = 10 * kMillisecond;
  std::string file;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::any_of(
      words, [&](std::string_view known) { return std::ranges::equal(word, known, {}, lower); });
}

bool set_bool(bool& target, const char* value) {
  target = is_one_of(value, {"true", "on", "yes", "enabled", "1"});
  return target || is_one_of(value, {"false", "off", "no", "disabled", "0"});
}

bool set_time(std::uint64_t& target, const char* value) {
  constexpr unsigned long kMost = 3'600'000;
  char* end = nullptr;
  errno = 0;
  const unsigned long number = std::strtoul(value, &end, 0);  // 0x and octal, too
  target = number * kMillisecond;
  return errno == 0 && end != value && *end == '\0' && *value != '-' && number != 0 &&
         number <= kMost;
}

bool set_method(Wanted& wanted, const char* value) {
  if (is_one_of(value, {"instrumentation"})) wanted.method = CallMethod::instrumentation;
  else if (is_one_of(value, {"sampling"})) wanted.method = CallMethod::sampling;
  else return is_one_of(value, {"none"});
  return true;
}
bool set_sampling(Wanted& wanted, const char* value) { return set_time(wanted.interval, value); }
bool set_granularity(Wanted& wanted, const char* value) {
  return set_bool(wanted.high_granularity, value);
}
bool set_delayed(Wanted& wanted, const char* value) { return set_bool(wanted.delayed, value); }
bool set_lines(Wanted& wanted, const char* value) { return set_bool(wanted.lines, value); }
bool set_cpu(Wanted& wanted, const char* value) { return set_bool(wanted.cpu, value); }
bool set_cpu_process(Wanted& wanted, const char* value) {
  return set_bool(wanted.cpu_process, value);
}
bool set_cpu_threads(Wanted& wanted, const char* value) {
  return set_bool(wanted.cpu_threads, value);
}
bool set_cpu_interval(Wanted& wanted, const char* value) {
  return set_time(wanted.cpu_interval, value);
}
bool set_execution(Wanted& wanted, const char* value) { return set_bool(wanted.execution, value); }
bool set_memory(Wanted& wanted, const char* value) { return set_bool(wanted.memory, value); }
bool set_stacks(Wanted& wanted, const char* value) { return set_bool(wanted.stacks, value); }
bool set_collections(Wanted& wanted, const char* value) {
  return set_bool(wanted.collections, value);
}
bool set_file(Wanted& wanted, const char* value) {
  wanted.file = value;
  return !wanted.file.empty();
}
// A log that is mixed with what the program prints is none.
bool set_stream(Wanted&, const char* value) { return is_one_of(value, {"file"}); }
// Of the profiler's own words: ours go to standard error.
bool ignore(Wanted&, const char*) { return true; }

struct Variable {
  const char* name;
  bool (*set)(Wanted&, const char* value);
};
constexpr Variable kVariables[] = {
#define VARIABLE(name, set) {"PROF_" name, set},
#include "agent/coreclr/runtime/prof_variables.def"
#undef VARIABLE
};

bool has_option(const Options& options, std::string_view name) {
  return std::ranges::any_of(options.settings, [&](const auto& one) { return one.first == name; });
}

void choose_events(const Wanted& wanted, Settings& settings) {
  EventSet events;
  events.calls = wanted.execution && wanted.method == CallMethod::instrumentation;
  events.jit = wanted.execution;
  events.classes = true;
  events.gc = wanted.collections;
  if (wanted.execution && wanted.method == CallMethod::sampling)
    events.sample_interval = wanted.interval;
  if (wanted.memory) events.alloc = AllocMode::objects;
  settings.common.events = events;
  settings.census = wanted.collections;
  settings.stacks = wanted.stacks && !events.calls && settings.common.stack_depth != 0;
}

void take_over(const Wanted& wanted, Settings& settings, Faults& faults) {
  Options& common = settings.common;
  if (!has_option(common, "events")) choose_events(wanted, settings);
  if (!has_option(common, "format")) common.format = "tracelog";
  if (!has_option(common, "file") && !wanted.file.empty()) common.file = wanted.file;
  common.paused = common.paused || wanted.delayed;
  settings.wall_clock = true;
  settings.signals = true;
  settings.line_trace = wanted.lines;
  settings.cpu_process = wanted.cpu && wanted.cpu_process;
  settings.cpu_threads = wanted.cpu && wanted.cpu_threads;
  settings.cpu_interval = wanted.cpu_interval;
  if (!wanted.high_granularity) faults.emplace_back("PROF_HIGH_GRAN: every tick is recorded");
}

std::string milliseconds(std::uint64_t time) { return std::to_string(time / kMillisecond); }
std::string letter(bool value) { return value ? "T" : "F"; }

}  // namespace

bool read_prof_variables(Settings& settings, Faults& faults) {
  Wanted wanted;
  for (const Variable& variable : kVariables) {
    const char* const value = secure_getenv(variable.name);
    if (value == nullptr) continue;
    wanted.any = true;
    if (variable.set(wanted, value)) continue;
    faults.push_back(std::string(variable.name) + "=" + value +
                     " is not understood; nothing is recorded");
    settings.common.off = true;
  }
  if (wanted.any) take_over(wanted, settings, faults);
  return wanted.any;
}

std::vector<std::pair<std::string, std::string>> prof_settings(const Settings& settings) {
  const EventSet& events = settings.common.events;
  const bool samples = events.sample_interval != 0 && !events.calls;
  return {
      {"CollectionMethod", events.calls ? "Instrumentation"
                           : samples    ? "Sampling"
                                        : "None"},
      {"SamplingTimeoutMs",
       samples ? milliseconds(std::max(events.sample_interval, kMillisecond)) : "0"},
      {"HighGranularityEnabled", letter(samples)},
      {"TracingSuspendedOnStart", letter(settings.common.paused)},
      {"LineTraceEnabled", letter(settings.line_trace)},
      {"CpuTraceProcessEnabled", letter(settings.cpu_process)},
      {"CpuTraceThreadEnabled", letter(cpu_interval(settings.common) != 0)},
      {"CpuTraceTimeoutMs", milliseconds(settings.cpu_interval)},
      {"ExecutionTraceEnabled", letter(events.calls || samples || events.jit)},
      {"MemoryTraceEnabled", letter(events.alloc != AllocMode::none)},
      {"StackTrackingEnabled",
       letter(events.alloc != AllocMode::none && (settings.stacks || events.calls))},
      {"GcTraceEnabled", letter(events.gc)},
  };
}

}  // namespace polytrace::agent::coreclr
