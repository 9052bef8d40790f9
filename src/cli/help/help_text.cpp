// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "cli/help/help_model.hpp"
#include "event/details.hpp"

namespace polytrace::cli {
namespace {

constexpr std::size_t kWidth = 80, kColumn = 28;

// Two columns: what is explained, and the explanation; the second starts a line of its own where
// the first is too long.
std::string explained(std::string_view what, std::string_view explanation) {
  std::string line = fmt::format("  {}", what);
  if (line.size() + 2 > kColumn) line += '\n' + std::string(kColumn, ' ');
  else line.resize(kColumn, ' ');
  return line + wrapped(explanation, kColumn, kColumn) + '\n';
}

std::string explanation(const OptionHelp& option) {
  std::string text = option.description;
  if (!option.default_value.empty()) text += fmt::format(" (default: {})", option.default_value);
  return text;
}

std::string options_text(const OptionList& list) {
  std::string out;
  for (const OptionGroup& group : option_groups(list)) {
    out += fmt::format("\n{}:\n", group.title);
    for (const OptionHelp& option : group.options)
      out += explained(option.heading(), explanation(option));
  }
  return out;
}

std::string tail(const CommandHelp& help) {
  std::string out = "\nExamples:\n";
  for (const Example& example : help.examples)
    out += fmt::format("  # {}\n  {}\n", example.says, example.command);
  out += "\nExit codes:\n";
  for (const int code : help.exits) out += explained(fmt::format("{}", code), exit_meaning(code));
  return out + fmt::format("\nRead more: {}\n", help.reading);
}

std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    out += '\n' + wrapped(text.substr(0, end), 0, 0) + '\n';
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return out;
}

std::string times_text() {
  return R"(Times for --from and --to:

  1.5s 200ms 40us 7ns 2min 1h   since the trace's first event
  +200ms                        --to: after --from; --from: as above
  50%                           of the time between the first and the last event
  2026-11-21T10:00:00.5Z        wall time (RFC 3339, any zone), where the trace
                                has it
  3845198506587                 nanoseconds of the trace's own clock, as
                                "polytrace cat" shows them

--from is included, --to is not. All but the last form need to see the whole
trace first: the file is read twice, standard input is kept in a temporary file
(TMPDIR), and --follow cannot take them.

Examples:
  polytrace report --from 50% app.mlpd
  polytrace cat --from 1.5s --to +200ms app.mlpd
)";
}

std::string exit_codes_text() {
  std::string out = "Exit codes:\n\n";
  for (const ExitMeaning& entry : exit_meanings())
    out += fmt::format("  {:<5}{}\n", entry.code, entry.meaning);
  out +=
      "\nThe worst that happened decides. With --json an error is one JSON object on\n"
      "standard error; its \"code\" is one of these names, which never change:\n\n";
  for (std::size_t i = 0; i < base::code_count(); ++i) {
    const base::CodeInfo& info = base::describe(static_cast<base::Code>(i));
    out += fmt::format("  {:<22}{}  {}\n", info.name, info.exit, info.sentence);
  }
  return out;
}

std::string kinds_text() {
  std::string out =
      "Kinds of events, for \"polytrace cat --kind\", and what each one is about:\n\n";
  for (std::size_t i = 0; i < event::kKindCount; ++i) {
    const event::KindInfo& info = event::describe(static_cast<event::Kind>(i));
    out += info.subject == "none" ? fmt::format("  {}\n", info.name)
                                  : fmt::format("  {:<22}{}\n", info.name, info.subject);
  }
  return out;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t used) {
  std::string out;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!first && used + 1 + word.size() > kWidth) {
      out += '\n' + std::string(indent, ' ');
      used = indent;
    } else if (!first) {
      out += ' ';
      ++used;
    }
    out += word;
    used += word.size();
    first = false;
  }
  return out;
}

const CommandHelp& program_help() {
  static const CommandHelp kHelp{
      "polytrace",
      "COMMAND [OPTIONS] FILE",
      "A file instead of a command means: polytrace info FILE. Files are recognised by their "
      "content; gzip and zstd are unpacked on the way. - is standard input or output.",
      {{"what is this file?", "polytrace app.mlpd"},
       {"where did time, memory and pauses go?", "polytrace report app.mlpd"},
       {"the same as JSON for a script", "polytrace report --json app.mlpd | jq .tables"}},
      {0, 1, 2, 3, 4, 5, 6, 130},
      "polytrace help COMMAND, docs/reference/commands.md"};
  return kHelp;
}

std::string overview_help(const Catalogue& catalogue) {
  const CommandHelp& help = program_help();
  std::string out =
      fmt::format("{} - {}\n\nUsage: {} {}\n", help.name, kProgramPurpose, help.name, help.usage);
  out += paragraphs(help.description) + "\nCommands:\n";
  for (const Entry& entry : catalogue.entries) {
    if (!is_grouped(entry.name())) out += explained(entry.name(), entry.purpose);
  }
  out += "\nTopics (polytrace help TOPIC):\n";
  for (const Topic& topic : topics()) out += explained(topic.name, topic.purpose);
  return out + options_text(catalogue.options) + tail(help);
}

std::string group_help(const Catalogue& catalogue, std::string_view group) {
  std::string out = fmt::format("Commands of polytrace {}:\n", group);
  for (const Entry& entry : catalogue.entries) {
    const std::string name = spoken(entry.name());
    if (name.starts_with(fmt::format("{} ", group))) out += explained(name, entry.purpose);
  }
  return out + fmt::format("\npolytrace {} COMMAND --help explains one.\n", group);
}

std::string command_help(const Entry& entry) {
  const CommandHelp& help = entry.command->help();
  const std::string name = spoken(help.name);
  std::string out = fmt::format("polytrace {} - {}\n\nUsage: polytrace {} {}\n", name,
                                entry.purpose, name, help.usage);
  return out + paragraphs(help.description) + options_text(entry.options) + tail(help);
}

const std::vector<Topic>& topics() {
  static const std::vector<Topic> kTopics{
      {"times", "how to say when", times_text},
      {"kinds", "the kinds of events", kinds_text},
      {"exit-codes", "what the program ends with, and the names of faults", exit_codes_text}};
  return kTopics;
}

}  // namespace polytrace::cli
