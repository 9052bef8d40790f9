// SPDX-License-Identifier: Apache-2.0
#include "cli/record/defaults.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace polytrace::cli {
namespace {

// Something that is left out unless an option asks for it.
struct Gap {
  std::string_view runtime;
  std::string_view what;
  std::string_view how;     // the option
  std::string_view closed;  // beginning of an option (--option) that closes it; "": --filter does
  bool at_start = false;    // can be had only by a program that starts
};
constexpr Gap kGaps[] = {
    {"java", "methods of the JDK", "--filter '*'", ""},
    {"java", "short methods", "--option jvm.accessors=yes", "jvm.accessors="},
    {"java", "exceptions", "--events +exceptions", "events=", true},
    {"java", "most allocations", "--events +alloc=sites", "events="},
    {"java", "the heap", "--option heapdump=end", "heapdump="},
    {"mono", "most allocations", "--events +alloc=sites", "events="},
    {"mono", "the heap", "--option heapdump=end", "heapdump="},
    {"dotnet", "methods of .NET itself", "--filter '*'", ""},
    {"dotnet", "most allocations", "--events +alloc=sites", "events="},
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

bool is_open(const Gap& gap, const AgentOptions& options, std::string_view runtime) {
  if (gap.runtime != runtime) return false;
  return gap.closed.empty() ? options.filters.empty() && !has_option(options, "filter")
                            : !has_option(options, gap.closed);
}

}  // namespace

std::string_view default_events(std::string_view runtime) {
  // An exception costs a JVM a tenth of a millisecond: a compiler takes twice its time for it.
  if (runtime == "java") return "calls,threads,gc,monitors,alloc=sampled";
  return "calls,threads,gc,monitors,exceptions,alloc=sampled";
}

void complete_events(AgentOptions& options, std::string_view runtime) {
  const std::string all(default_events(runtime));
  if (!is_chosen(options, runtime)) options.events = {all};
  for (std::string& list : options.events)
    if (list.starts_with('+')) list = all + ',' + list.substr(1);
}

std::string kinds_of(const AgentOptions& options) {
  std::string text;
  for (const std::string& list : options.events) text += list + ',';
  for (const std::string& other : options.others)
    if (other.starts_with("events=")) text += other + ',';
  return text;
}

std::string left_out(const AgentOptions& options, std::string_view runtime, Beginning beginning) {
  std::string text;
  if (is_chosen(options, runtime)) return text;
  for (const Gap& gap : kGaps)
    if (is_open(gap, options, runtime) && (!gap.at_start || beginning == Beginning::with_program))
      text += fmt::format("{}{} ({})", text.empty() ? "left out: " : ", ", gap.what, gap.how);
  return text;
}

}  // namespace polytrace::cli
