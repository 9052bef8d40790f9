// SPDX-License-Identifier: Apache-2.0
#include "agent/common/options/option_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "agent/common/tools/text_file.hpp"

namespace polytrace::agent {
namespace {

template <class T>
struct Named {
  std::string_view name;
  T value;
};

template <class T, std::size_t n>
bool choose(T& target, std::string_view value, const Named<T> (&names)[n]) {
  for (const Named<T>& named : names) {
    if (named.name != value) continue;
    target = named.value;
    return true;
  }
  return false;
}

bool set_text(std::string& target, std::string_view value) {
  target = value;
  return !value.empty() && value.find('\0') == std::string_view::npos;
}

bool set_number(std::uint32_t& target, std::string_view value, std::uint64_t most) {
  std::uint64_t number = 0;
  if (!parse_size(value, number) || number > most) return false;
  target = static_cast<std::uint32_t>(number);
  return true;
}

// --- one per row of options.def ---

bool set_alloc(EventSet& events, std::string_view value) {
  constexpr Named<AllocMode> kModes[] = {{"none", AllocMode::none},
                                         {"sampled", AllocMode::sampled},
                                         {"sites", AllocMode::sites},
                                         {"objects", AllocMode::objects}};
  const std::size_t colon = std::min(value.find(':'), value.size());
  if (!choose(events.alloc, value.substr(0, colon), kModes)) return false;
  if (colon == value.size()) return true;
  return events.alloc == AllocMode::sampled &&
         parse_size(value.substr(colon + 1), events.alloc_interval);
}

bool set_event(EventSet& events, std::string_view name, std::string_view value) {
  constexpr std::uint64_t kSampleInterval = 10'000'000;
  constexpr Named<bool EventSet::*> kSwitches[] = {{"calls", &EventSet::calls},
                                                   {"threads", &EventSet::threads},
                                                   {"gc", &EventSet::gc},
                                                   {"monitors", &EventSet::monitors},
                                                   {"exceptions", &EventSet::exceptions},
                                                   {"jit", &EventSet::jit},
                                                   {"classes", &EventSet::classes},
                                                   {"counters", &EventSet::counters}};
  if (name == "none") return value.empty();
  if (name == "alloc") return set_alloc(events, value.empty() ? "sampled" : value);
  if (name == "samples") {
    events.sample_interval = kSampleInterval;
    return value.empty() ||
           (parse_duration(value, events.sample_interval) && events.sample_interval != 0);
  }
  bool EventSet::* target = nullptr;
  if (!value.empty() || !choose(target, name, kSwitches)) return false;
  events.*target = true;
  return true;
}

bool set_events(Options& options, std::string_view value, Faults& faults) {
  EventSet events;
  events.calls = events.threads = events.gc = false;
  bool all = true;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find('+'), value.size());
    const std::string_view part = value.substr(0, end);
    value.remove_prefix(std::min(end + 1, value.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const bool known =
        set_event(events, part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
    if (!known) faults.push_back("events: \"" + std::string(part) + "\" is none");
    all = all && known;
  }
  options.events = events;
  return all;
}

bool set_mode(Options& options, std::string_view value, Faults&) {
  return choose(options.mode, value, {{"events", Mode::events}, {"summary", Mode::summary}});
}
bool set_summary(Options& options, std::string_view value, Faults&) {
  constexpr std::uint64_t kLeast = 100'000'000;
  constexpr std::uint64_t kMost = 86'400'000'000'000;
  return parse_duration(value, options.summary) && options.summary >= kLeast &&
         options.summary <= kMost;
}
bool set_filter(Options& options, std::string_view value, Faults& faults) {
  options.filters.add_short(value, faults);
  return true;
}
bool set_filters(Options& options, std::string_view value, Faults& faults) {
  options.filters.add_file(std::string(value), faults);
  return true;
}
bool set_min_bytecode(Options& options, std::string_view value, Faults&) {
  return set_number(options.min_bytecode, value, 0xffff);
}
bool set_depth(Options& options, std::string_view value, Faults&) {
  return set_number(options.stack_depth, value, kMostFrames);
}
bool set_yes(bool& target, std::string_view value) {
  return choose(target, value,
                {{"", true}, {"yes", true}, {"true", true}, {"no", false}, {"false", false}});
}
constexpr std::uint64_t kUsualCpu = 100'000'000;
bool set_cpu(Options& options, std::string_view value, Faults&) {
  constexpr std::uint64_t kLeast = 1'000'000;
  bool on = false;
  if (value == "off" || set_yes(on, value)) {
    options.cpu = on ? kUsualCpu : 0;
    return true;
  }
  return parse_duration(value, options.cpu) && options.cpu >= kLeast;
}
bool set_heap_dump(Options& options, std::string_view value, Faults&) {
  return choose(
      options.heap_dump, value,
      {{"command", HeapDump::on_command}, {"never", HeapDump::never}, {"end", HeapDump::at_end}});
}
bool set_label_option(Options& options, std::string_view value, Faults& faults) {
  add_label(options.labels, value, faults);
  return true;
}
bool set_paused(Options& options, std::string_view value, Faults&) {
  return set_yes(options.paused, value);
}

bool set_file(Options& options, std::string_view value, Faults&) {
  return set_text(options.file, value);
}
// Any name: who makes the format knows which there are.
bool set_format(Options& options, std::string_view value, Faults&) {
  constexpr Named<std::string_view> kOtherWords[] = {
      {"xml", "trcxml"}, {"binary", "tbf"}, {"block", "monoblock"}};
  std::string_view format = value;
  choose(format, value, kOtherWords);
  return set_text(options.format, format);
}
bool set_converter(Options& options, std::string_view value, Faults&) {
  return set_text(options.converter, value);
}
bool set_segments(Options& options, std::string_view value, Faults&) {
  return set_text(options.segments, value);
}

bool set_policy(Options& options, std::string_view value, Faults&) {
  return choose(options.policy, value,
                {{"block", Policy::block}, {"drop", Policy::drop}, {"ring", Policy::ring}});
}
bool set_buffer(Options& options, std::string_view value, Faults&) {
  return parse_size(value, options.buffer);
}
// At most a minute: the program may have to wait for so long.
bool set_milliseconds(std::uint32_t& into, std::string_view value) {
  constexpr std::uint64_t kMillisecond = 1'000'000;
  constexpr std::uint64_t kMost = 60'000;
  std::uint64_t time = 0;
  if (!parse_duration(value, time) || time / kMillisecond > kMost) return false;
  into = static_cast<std::uint32_t>(time / kMillisecond);
  return true;
}
bool set_flush(Options& options, std::string_view value, Faults&) {
  const bool good = set_milliseconds(options.flush, value);
  options.flush = std::max<std::uint32_t>(options.flush, 1);
  return good;
}
bool set_drain(Options& options, std::string_view value, Faults&) {
  return set_milliseconds(options.drain, value);
}
bool set_clock(Options& options, std::string_view value, Faults&) {
  return choose(options.clock, value,
                {{"auto", ClockChoice::auto_},
                 {"tsc", ClockChoice::counter},
                 {"monotonic", ClockChoice::monotonic},
                 {"coarse", ClockChoice::coarse}});
}
bool set_duration(Options& options, std::string_view value, Faults&) {
  options.duration = 0;
  return value == "none" || (parse_duration(value, options.duration) && options.duration != 0);
}
bool set_limit(Options& options, std::string_view value, Faults&) {
  if (value == "none") options.limit = 0;
  return value == "none" || parse_size(value, options.limit);
}
bool set_min_free(Options& options, std::string_view value, Faults&) {
  if (value == "auto") options.min_free = kAuto;
  return value == "auto" || parse_size(value, options.min_free);
}

bool set_control(Options& options, std::string_view value, Faults&) {
  options.control = value;
  return value == "none" || value == "unix" || value.starts_with("tcp:");
}
bool set_connect(Options& options, std::string_view value, Faults&) {
  return set_text(options.connect, value);
}
bool set_spool(Options& options, std::string_view value, Faults&) {
  if (value == "none") options.spool = 0;
  return value == "none" || (parse_size(value, options.spool) && options.spool != 0);
}
bool set_server(Options& options, std::string_view value, Faults&) {
  return choose(options.server, value,
                {{"standalone", Server::standalone},
                 {"enabled", Server::enabled},
                 {"application", Server::enabled},
                 {"controlled", Server::controlled}});
}
bool set_token_file(Options& options, std::string_view value, Faults&) {
  return set_text(options.token_file, value);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

bool set_profile(Options& options, std::string_view value, Faults& faults) {
  constexpr std::size_t kMostBytes = 1 << 20;
  std::string text;
  const std::string fault = read_text_file(std::string(value), kMostBytes, text);
  if (!fault.empty()) faults.push_back("profile=" + std::string(value) + ": " + fault);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '*') continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos)
      faults.push_back("profile: not KEY = value: \"" + std::string(line.substr(0, 80)) + "\"");
    else set_tptp_key(options, trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
  }
  return true;
}
bool set_help(Options& options, std::string_view, Faults&) { return options.help = true; }

enum Flags : unsigned { kRemote = 1, kSecret = 2, kList = 4 };

constexpr OptionSetter kSetters[] = {
#define OPTION(name, values, fallback, flags, set, text)                               \
  {{name, values, fallback, text, ((flags) & kSecret) != 0, ((flags) & kRemote) != 0}, \
   ((flags) & kList) != 0,                                                             \
   set},
#include "agent/common/options/options.def"
#undef OPTION
};

static_assert(std::size(kSetters) <= kMostOptions);

}  // namespace

std::span<const OptionSetter> option_setters() { return kSetters; }

// Keys that decide what is recorded here; all of them are told as settings.
void set_tptp_key(Options& options, std::string_view key, std::string_view value) {
  options.settings.emplace_back(key, value);
  const bool on =
      value != "none" && value != "NONE" && value != "false" && value != "off" && value != "0";
  if (key == "MONITOR_MODE") options.events.monitors = on;
  else if (key == "TRACK_GC_EVENT_TYPES") options.events.gc = on;
  else if (key == "CPU_TIME") options.cpu = on ? kUsualCpu : 0;
  else if (key == "TRACE_MODE" && value == "aggregate") options.mode = Mode::summary;
}

std::uint64_t cpu_interval(const Options& options) {
  if (options.cpu != kAuto) return options.cpu;
  const bool wanted = options.events.calls || options.events.sample_interval != 0;
  return wanted && options.format == "native" ? kUsualCpu : 0;
}

bool parse_size(std::string_view text, std::uint64_t& bytes) {
  struct Unit {
    std::string_view name;
    unsigned shift;
  };
  constexpr Unit kUnits[] = {{"", 0},    {"k", 10},  {"m", 20},   {"g", 30},   {"kb", 10},
                             {"mb", 20}, {"gb", 30}, {"kib", 10}, {"mib", 20}, {"gib", 30}};
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc()) return false;
  std::string unit(at, end);
  for (char& letter : unit) letter = static_cast<char>(letter | 0x20);
  const auto* const known = std::ranges::find(kUnits, unit, &Unit::name);
  if (known == std::end(kUnits) || number > UINT64_MAX >> known->shift) return false;
  bytes = number << known->shift;
  return true;
}

bool parse_duration(std::string_view text, std::uint64_t& nanoseconds) {
  constexpr Named<std::uint64_t> kUnits[] = {
      {"", 1'000'000}, {"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, number);
  std::uint64_t unit = 0;
  if (fault != std::errc() || !choose(unit, {at, static_cast<std::size_t>(end - at)}, kUnits))
    return false;
  if (number > INT64_MAX / unit) return false;
  nanoseconds = number * unit;
  return true;
}

}  // namespace polytrace::agent
