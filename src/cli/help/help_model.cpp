// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/sections.hpp"
#include "event/details.hpp"
#include "format/format.hpp"

namespace polytrace::cli {
namespace {

// What can be written: "mlpd", "mlpd:1".
std::vector<std::string> written_formats() {
  std::vector<std::string> names;
  for (const format::Format* format : format::formats()) {
    if (format->create == nullptr) continue;
    names.emplace_back(format->name);
    if (format->write_versions.size() < 2) continue;
    for (const std::string_view version : format->write_versions)
      names.push_back(fmt::format("{}:{}", format->name, version));
  }
  return names;
}

std::vector<std::string> written_versions() {
  std::vector<std::string> versions;
  for (const format::Format* format : format::formats()) {
    for (const std::string_view version : format->write_versions) {
      if (std::ranges::find(versions, version) == versions.end()) versions.emplace_back(version);
    }
  }
  return versions;
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

std::vector<std::string> choices_of(const Option& option) {
  if (option.value.starts_with("FORMAT")) return written_formats();
  if (option.value == "VERSION") return written_versions();
  if (option.value.starts_with("KIND")) return kind_names();
  if (option.value.starts_with("SECTION")) return section_names();
  return option.choices;
}

OptionHelp describe_option(const Option& option) {
  return {option.names, option.value, option.description, option.default_value, choices_of(option)};
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

std::vector<OptionGroup> option_groups(const OptionList& list) {
  std::vector<OptionGroup> groups;
  for (const Option& option : list.all())
    group_named(groups, option.group).options.push_back(describe_option(option));
  // Whatever everybody knows comes last.
  const auto general = std::find_if(groups.begin(), groups.end(), [](const OptionGroup& group) {
    return group.title == "General";
  });
  if (general != groups.end()) std::rotate(general, general + 1, groups.end());
  group_named(groups, "General").options.push_back({{"-h", "--help"}, {}, "This text", {}, {}});
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
