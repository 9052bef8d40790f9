// SPDX-License-Identifier: Apache-2.0
#include "service/record/agent_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "service/words/words.hpp"

namespace polytrace::service {
namespace {

// What separates options and their sections in the string.
constexpr std::string_view kSeparators = ",;";

// As agents know them.
constexpr std::array kEvents = {"calls", "threads", "gc",       "monitors", "exceptions",
                                "jit",   "classes", "counters", "alloc",    "samples"};

// Options of one runtime have its name before a dot: only its agent knows them.
base::result<void> check_name(std::string_view assignment) {
  const std::string name(assignment.substr(0, assignment.find('=')));
  const std::vector<std::string> known = agent_option_names();
  const bool runtimes_own = name.find('.') != name.npos;
  if (name.empty() || (!runtimes_own && std::ranges::find(known, name) == known.end()))
    return base::fail(base::Code::usage, fmt::format("agents have no option \"{}\"{}", name,
                                                     did_you_mean(name, known)));
  return {};
}

// In a file's name, a percent sign stands for a variable part.
std::string plain_name(std::string_view file) {
  std::string name;
  for (const char letter : file) name += letter == '%' ? "%%" : std::string(1, letter);
  return name;
}

// The option string separates kinds of events by plus signs: commas separate options.
std::string joined(const std::vector<std::string>& lists, char separator) {
  std::string text;
  for (const std::string& list : lists) {
    if (!text.empty()) text += separator;
    for (const char letter : list) text += letter == ',' ? separator : letter;
  }
  return text;
}

// Errors: usage, with the complaint that agents would have.
base::result<void> check_string(const std::string& text) {
  agent::Faults faults;
  agent::parse_options(text, faults);
  if (faults.empty()) return {};
  return base::fail(base::Code::usage, faults.front());
}

struct KnownGap {
  std::string_view runtime;
  Gap gap;
  std::string_view closed;  // beginning of an option (--option) that closes it; "": --filter does
  bool at_start = false;    // can be had only by a program that starts
};
constexpr KnownGap kGaps[] = {
    {"java", {"methods of the JDK", "--filter '*'"}, ""},
    {"java", {"short methods", "--option jvm.accessors=yes"}, "jvm.accessors="},
    {"java", {"exceptions", "--events +exceptions"}, "events=", true},
    {"java", {"allocations but for samples", "--events +alloc=sites"}, "events="},
    {"java", {"the heap", "--option heapdump=end"}, "heapdump="},
    {"mono", {"allocations but for samples", "--events +alloc=sites"}, "events="},
    {"mono", {"the heap", "--option heapdump=end"}, "heapdump="},
    {"dotnet", {"methods of .NET itself", "--filter '*'"}, ""},
    {"dotnet", {"allocations but for samples", "--events +alloc=sites"}, "events="},
};

bool has_option(const AgentOptions& options, std::string_view beginning) {
  return std::ranges::any_of(
      options.others, [&](const std::string& other) { return other.starts_with(beginning); });
}

// CoreProfiler's variables say what is recorded, too: docs/coreclr.md.
bool is_variables_choice(std::string_view runtime) {
  if (runtime != "dotnet") return false;
  for (char** at = environ; *at != nullptr; ++at)
    if (std::string_view(*at).starts_with("PROF_")) return true;
  return false;
}

bool is_chosen(const AgentOptions& options, std::string_view runtime) {
  return !options.events.empty() || has_option(options, "events=") ||
         has_option(options, "profile=") || is_variables_choice(runtime);
}

bool is_open(const KnownGap& gap, const AgentOptions& options, std::string_view runtime) {
  if (gap.runtime != runtime) return false;
  return gap.closed.empty() ? options.filters.empty() && !has_option(options, "filter")
                            : !has_option(options, gap.closed);
}

// What a list says of a kind takes the place of what was said of it before. Plus signs separate
// kinds, too, as in the option string.
void add_kinds(std::string list, std::vector<std::string>& kinds) {
  std::ranges::replace(list, '+', ',');
  const auto name_of = [](std::string_view kind) { return kind.substr(0, kind.find('=')); };
  for (const std::string_view kind : listed(list)) {
    std::erase_if(kinds, [&](const std::string& one) { return name_of(one) == name_of(kind); });
    kinds.emplace_back(kind);
  }
}

std::string default_events(std::string_view runtime) {
  // An exception costs a JVM a tenth of a millisecond: a compiler takes twice its time for it.
  if (runtime == "java") return "calls,threads,gc,monitors,alloc=sampled";
  return "calls,threads,gc,monitors,exceptions,alloc=sampled";
}

}  // namespace

std::vector<std::string> agent_events() { return {kEvents.begin(), kEvents.end()}; }

std::vector<std::string> agent_option_names() {
  std::vector<std::string> names;
  for (const agent::OptionRow& row : agent::option_rows()) names.emplace_back(row.name);
  return names;
}

void complete_events(AgentOptions& options, std::string_view runtime) {
  const std::string all = default_events(runtime);
  if (!is_chosen(options, runtime)) options.events = {all};
  if (options.events.empty()) return;
  const bool adds = std::ranges::any_of(
      options.events, [](const std::string& list) { return list.starts_with('+'); });
  std::vector<std::string> kinds;
  if (adds) add_kinds(all, kinds);
  for (const std::string& list : options.events)
    add_kinds(list.substr(list.starts_with('+') ? 1 : 0), kinds);
  options.events = {fmt::format("{}", fmt::join(kinds, ","))};
}

std::string kinds_of(const AgentOptions& options) {
  std::string text;
  for (const std::string& list : options.events) text += list + ',';
  for (const std::string& other : options.others)
    if (other.starts_with("events=")) text += other + ',';
  return text;
}

std::vector<Gap> gaps_of(const AgentOptions& options, std::string_view runtime,
                         Beginning beginning) {
  std::vector<Gap> gaps;
  if (is_chosen(options, runtime)) return gaps;
  for (const KnownGap& known : kGaps)
    if (is_open(known, options, runtime) &&
        (!known.at_start || beginning == Beginning::with_program))
      gaps.push_back(known.gap);
  return gaps;
}

std::string name_for_process(const std::string& path, std::string_view process) {
  std::filesystem::path name = path;
  const std::string extension = name.extension();
  return name.replace_extension(fmt::format(".{}{}", process, extension)).string();
}

base::result<std::string> option_string(const AgentOptions& options, const std::string& file) {
  if (file.find_first_of(kSeparators) != file.npos)
    return base::fail(
        base::Code::usage,
        fmt::format("{}: agents cannot write to a path with a comma or semicolon", file));
  if (options.limit.find_first_of(kSeparators) != std::string::npos)
    return base::fail(base::Code::usage, fmt::format("--limit {}: one size", options.limit));
  const std::string plain = plain_name(file);
  std::string text =
      fmt::format("file={}", options.children ? name_for_process(plain, "%p") : plain);
  if (!options.events.empty()) text += fmt::format(",events={}", joined(options.events, '+'));
  if (!options.filters.empty()) text += fmt::format(",filter={}", joined(options.filters, ','));
  if (!options.policy.empty()) text += fmt::format(",policy={}", options.policy);
  if (options.controllable) text += ",control=unix";
  text += fmt::format(",limit={}", options.limit);
  for (const std::string& label : options.labels) {
    if (label.find_first_of(kSeparators) != std::string::npos)
      return base::fail(base::Code::usage,
                        fmt::format("--label {}: no commas and semicolons", label));
    text += fmt::format(",label={}", label);
  }
  for (const std::string& other : options.others) {
    if (const auto known = check_name(other); !known) return tl::unexpected(known.error());
    if (other.find(';') != other.npos)
      return base::fail(base::Code::usage, fmt::format("{}: options have no semicolon", other));
    text += fmt::format(",{}", other);
  }
  if (const auto fits = check_string(text); !fits) return tl::unexpected(fits.error());
  return text;
}

}  // namespace polytrace::service
