// SPDX-License-Identifier: Apache-2.0
#include "cli/help/completion_words.hpp"

#include <algorithm>

#include "analysis/report/report.hpp"
#include "cli/help/help_text.hpp"

namespace polytrace::cli {
namespace {

void add_once(std::vector<std::string>& words, std::string word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
}

// Tables have their columns also where nothing was read.
std::vector<std::string> column_names() {
  analysis::Report report({}, {});
  report.finish();
  std::vector<std::string> names;
  for (const analysis::Table& table : report.tables({})) {
    for (const analysis::ColumnInfo& column : table.columns) add_once(names, column.key);
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> subjects(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue.entries) {
    const std::string_view name = entry.name();
    add_once(names, std::string(name.substr(0, name.find('-'))));
  }
  for (const Topic& topic : topics()) names.emplace_back(topic.name);
  return names;
}

Completes kind_of(const OptionHelp& option) {
  if (option.value == "FILE" || option.value == "DIR" || option.value == "FILE=TIME")
    return Completes::files;
  if (option.value == "THREAD") return Completes::threads;
  if (option.choices.empty()) return Completes::nothing;
  return option.is_list() ? Completes::list : Completes::choices;
}

CompletionWord word_of(OptionHelp option, const Catalogue& catalogue,
                       const std::vector<std::string>& columns) {
  if (option.value == "COLUMN") option.choices = columns;
  if (option.value == "COMMAND" && option.choices.empty()) option.choices = subjects(catalogue);
  const Completes completes = kind_of(option);
  return {std::move(option), completes};
}

}  // namespace

CompletionCommand name_of(const Entry& entry) {
  CompletionCommand command;
  command.name = spoken(entry.name());
  if (is_grouped(entry.name())) command.group = entry.name().substr(0, entry.name().find('-'));
  command.purpose = entry.purpose;
  return command;
}

std::vector<CompletionCommand> completion_commands(const Catalogue& catalogue) {
  const std::vector<std::string> columns = column_names();
  std::vector<CompletionCommand> commands;
  for (const Entry& entry : catalogue.entries) {
    if (entry.is_elsewhere()) continue;
    CompletionCommand& command = commands.emplace_back(name_of(entry));
    command.leaves_rest = entry.options.rest() != nullptr;
    for (OptionGroup& group : option_groups(entry.options)) {
      for (OptionHelp& option : group.options) {
        CompletionWord word = word_of(std::move(option), catalogue, columns);
        (word.is_positional() ? command.positionals : command.options).push_back(std::move(word));
      }
    }
  }
  return commands;
}

std::vector<std::string> first_words(const std::vector<CompletionCommand>& commands) {
  std::vector<std::string> names;
  for (const CompletionCommand& command : commands)
    add_once(names, command.group.empty() ? command.name : command.group);
  return names;
}

std::vector<std::string> group_names(const std::vector<CompletionCommand>& commands) {
  std::vector<std::string> names;
  for (const CompletionCommand& command : commands)
    if (!command.group.empty()) add_once(names, command.group);
  return names;
}

std::vector<std::string> group_members(const std::vector<CompletionCommand>& commands,
                                       std::string_view group) {
  std::vector<std::string> names;
  for (const CompletionCommand& command : commands)
    if (command.group == group) names.push_back(command.own_name());
  return names;
}

}  // namespace polytrace::cli
