// SPDX-License-Identifier: Apache-2.0
#include "cli/record/agent_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "cli/record/children.hpp"
#include "service/words/words.hpp"

namespace polytrace::cli {
namespace {

// What separates options and their sections in the string.
constexpr std::string_view kSeparators = ",;";

// As agents know them.
constexpr std::array kEvents = {"calls", "threads", "gc",       "monitors", "exceptions",
                                "jit",   "classes", "counters", "alloc",    "samples"};

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const agent::OptionRow& row : agent::option_rows()) names.emplace_back(row.name);
  return names;
}

// Options of one runtime have its name before a dot: only its agent knows them.
base::result<void> check_name(std::string_view assignment) {
  const std::string name(assignment.substr(0, assignment.find('=')));
  const std::vector<std::string> known = option_names();
  const bool runtimes_own = name.find('.') != name.npos;
  if (name.empty() || (!runtimes_own && std::ranges::find(known, name) == known.end()))
    return base::fail(base::Code::usage, fmt::format("agents have no option \"{}\"{}", name,
                                                     service::did_you_mean(name, known)));
  return {};
}

// In a file's name, a percent sign stands for a variable part.
std::string plain_name(std::string_view file) {
  std::string name;
  for (const char letter : file) name += letter == '%' ? "%%" : std::string(1, letter);
  return name;
}

std::vector<std::string> assignments() {
  std::vector<std::string> words = option_names();
  for (std::string& word : words) word += '=';
  return words;
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

// What the agents will make of it; false, with their complaint, where they understand it not.
base::result<void> check_string(const std::string& text) {
  agent::Faults faults;
  agent::parse_options(text, faults);
  if (faults.empty()) return {};
  return base::fail(base::Code::usage, faults.front());
}

}  // namespace

void add_agent_options(OptionList& list, AgentOptions& options) {
  const char* group = "What is recorded";
  list.add("--events", options.events,
           fmt::format(
               "Kinds of events, separated by commas: {}; a + before the first: besides the "
               "default (calls,threads,gc,monitors,alloc=sampled and, but for Java, exceptions)",
               fmt::join(kEvents, ", ")))
      .takes("EVENT[,EVENT...]")
      .suggests({kEvents.begin(), kEvents.end()})
      .in(group);
  list.add("--filter", options.filters,
           "Classes whose methods are recorded, separated by commas; -PATTERN leaves out")
      .takes("LIST")
      .in(group);
  list.add("--policy", options.policy,
           "When the recording cannot keep up: block (the program waits; nothing is lost), "
           "drop (counted) or ring (the last part is kept)")
      .takes("POLICY")
      .one_of({"block", "drop", "ring"})
      .in(group);
  list.add("--limit", options.limit,
           "The recording ends when it is as large, and the program goes on; none: no limit")
      .takes("SIZE")
      .shows_default()
      .in(group);
  list.add("--option", options.others, "Any other option of the agent: docs/recording.md")
      .takes("NAME=VALUE")
      .suggests(assignments())
      .in(group);
  list.add("--agent", options.agent, "The agent's library, where it is not beside polytrace")
      .takes("FILE")
      .in(group);
  list.add("--control", options.controllable,
           "Let `polytrace control` steer the recording while it runs")
      .in(group);
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
  for (const std::string& other : options.others) {
    if (const auto known = check_name(other); !known) return tl::unexpected(known.error());
    if (other.find(';') != other.npos)
      return base::fail(base::Code::usage, fmt::format("{}: options have no semicolon", other));
    text += fmt::format(",{}", other);
  }
  if (const auto fits = check_string(text); !fits) return tl::unexpected(fits.error());
  return text;
}

}  // namespace polytrace::cli
