// SPDX-License-Identifier: Apache-2.0
#include "cli/help_model.hpp"

#include <CLI/Option.hpp>
#include <algorithm>

#include "analysis/sections.hpp"
#include "event/details.hpp"
#include "format/format.hpp"

namespace polytrace::cli {
namespace {

// CLI11 tells a closed set behind the type: "WHEN:{auto,always,never}".
std::vector<std::string> listed_choices(std::string_view type) {
  const std::size_t open = type.find('{'), close = type.rfind('}');
  std::vector<std::string> choices;
  if (open == type.npos || close == type.npos || close < open) return choices;
  type = type.substr(open + 1, close - open - 1);
  while (!type.empty()) {
    const std::size_t comma = std::min(type.find(','), type.size());
    choices.emplace_back(type.substr(0, comma));
    type.remove_prefix(std::min(comma + 1, type.size()));
  }
  return choices;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const format::Format* format : format::formats()) names.emplace_back(format->name);
  return names;
}

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const analysis::Section& section : analysis::sections()) names.emplace_back(section.key);
  return names;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < event::kKindCount; ++i)
    names.emplace_back(event::describe(static_cast<event::Kind>(i)).name);
  return names;
}

OptionHelp describe_option(const CLI::Option& option) {
  OptionHelp help;
  for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
  help.description = option.get_description();
  help.default_value = option.get_default_str();
  if (option.get_items_expected_max() == 0) return help;
  const std::string type = option.get_type_name();
  help.value = type.substr(0, type.find(":{"));
  help.choices = listed_choices(type);
  if (help.value.starts_with("FORMAT")) help.choices = format_names();
  if (help.value.starts_with("KIND")) help.choices = kind_names();
  if (help.value.starts_with("SECTION")) help.choices = section_names();
  return help;
}

OptionGroup& group_named(std::vector<OptionGroup>& groups, const std::string& title) {
  for (OptionGroup& group : groups) {
    if (group.title == title) return group;
  }
  groups.push_back({title, {}});
  return groups.back();
}

}  // namespace

std::string OptionHelp::heading() const {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  if (value.empty()) return text;
  return text.empty() ? value : text + ' ' + value;
}

std::vector<OptionGroup> option_groups(const CLI::App& app) {
  std::vector<OptionGroup> groups;
  const CLI::Option* help = app.get_help_ptr();
  for (const CLI::Option* option : app.get_options()) {
    if (option == help || option->get_group().empty()) continue;
    group_named(groups, option->get_group()).options.push_back(describe_option(*option));
  }
  // Whatever everybody knows comes last.
  const auto general = std::find_if(groups.begin(), groups.end(), [](const OptionGroup& group) {
    return group.title == "General";
  });
  if (general != groups.end()) std::rotate(general, general + 1, groups.end());
  if (help != nullptr) group_named(groups, "General").options.push_back(describe_option(*help));
  return groups;
}

const std::vector<ExitMeaning>& exit_meanings() {
  static const std::vector<ExitMeaning> kMeanings{
      {0, "success"},
      {1, "failed: a file cannot be opened, read or written"},
      {2, "wrong use"},
      {3, "the input's format or its version is not supported"},
      {4, "the input is damaged or cut off: the result is partial and says so"},
      {5, "a check that was asked for failed"},
      {6, "a limit was reached: the result is partial"},
      {130, "interrupted (128 + the signal's number): the result is partial"}};
  return kMeanings;
}

std::string_view exit_meaning(int code) {
  for (const ExitMeaning& entry : exit_meanings()) {
    if (entry.code == code) return entry.meaning;
  }
  return {};
}

}  // namespace polytrace::cli
