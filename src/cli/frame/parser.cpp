// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/parser.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

#include "service/words/words.hpp"

namespace polytrace::cli {
namespace {

constexpr const char* kHelpNames = "-h,--help";

std::string parser_name(const Option& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ",") + name;
  return option.is_positional() ? option.position : text;
}

CLI::Option* add(CLI::App& app, const std::string& name, const Option& option) {
  return std::visit(
      [&](auto* target) -> CLI::Option* {
        if constexpr (std::is_same_v<decltype(target), bool*>) return app.add_flag(name, *target);
        else return app.add_option(name, *target);
      },
      option.target.where);
}

bool is_number(const Option& option) {
  return std::holds_alternative<std::uint64_t*>(option.target.where) ||
         std::holds_alternative<std::vector<std::uint32_t>*>(option.target.where);
}

// What CLI11 says behind the option's name; empty where nothing is wrong.
std::string fault_of_choice(const std::string& word, const std::vector<std::string>& choices) {
  if (std::ranges::find(choices, word) != choices.end()) return {};
  return fmt::format("no \"{}\"{} (there are {})", word, service::did_you_mean(word, choices),
                     fmt::join(choices, ", "));
}

// Signs would be taken for very large numbers.
std::string fault_of_number(const std::string& word) {
  if (!word.empty() && word.front() >= '0' && word.front() <= '9') return {};
  return fmt::format("\"{}\" is no number from 0 on", word);
}

void offer(CLI::App& app, const Option& option) {
  CLI::Option* offered = add(app, parser_name(option), option);
  offered->required(option.is_required);
  if (!option.choices.empty() && !option.takes_others)
    offered->check([&](const std::string& word) { return fault_of_choice(word, option.choices); });
  if (is_number(option)) offered->check(fault_of_number);
  if (option.most_words != 0) offered->expected(0, option.most_words);
  // --keep A FILE: FILE is not another word of --keep.
  if (!option.is_positional() && !option.is_flag()) offered->allow_extra_args(false);
}

void offer(CLI::App& app, const OptionList& options) {
  app.set_help_flag(kHelpNames);
  for (const Option& option : options.all()) offer(app, option);
}

// Whether the next word is this one's value.
bool takes_next(const std::string& word, const OptionList& options) {
  for (const Option& option : options.all()) {
    if (std::ranges::find(option.names, word) != option.names.end()) return !option.is_flag();
  }
  return false;
}

// Knows the options of the command that was named only.
struct Parser {
  CLI::App root;
  CLI::App* command = nullptr;
  const Entry* entry;

  Parser(const Catalogue& catalogue, const Entry* named) : entry(named) {
    offer(root, catalogue.options);
    if (entry == nullptr) return;
    command = root.add_subcommand(std::string(entry->name()));
    offer(*command, entry->options);
  }
  bool is_in_command() const { return command != nullptr && command->parsed(); }
};

std::vector<std::string> option_names(const OptionList& options) {
  std::vector<std::string> names{"-h", "--help"};
  for (const Option& option : options.all())
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// CLI11's sentence, or a better one for words that nobody expected.
std::string complaint(const CLI::ParseError& error, const Parser& parser,
                      const Catalogue& catalogue) {
  const CLI::App& app = parser.is_in_command() ? *parser.command : parser.root;
  const auto extras = app.remaining();
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || extras.empty()) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  const std::string word = extras.front().substr(0, extras.front().find('='));
  if (!word.starts_with('-')) return fmt::format("unexpected argument \"{}\"", word);
  const OptionList& known = parser.is_in_command() ? parser.entry->options : catalogue.options;
  return fmt::format("no option {}{}", word, service::did_you_mean(word, option_names(known)));
}

}  // namespace

Parsed parse(std::vector<std::string> words, const Catalogue& catalogue, const Entry* named) {
  Parser parser(catalogue, named);
  Parsed result;
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    parser.root.parse(words);
  } catch (const CLI::CallForHelp&) {
    result.wants_help = true;
  } catch (const CLI::ParseError& error) {
    result.complaint = complaint(error, parser, catalogue);
  }
  if (parser.is_in_command()) result.entry = parser.entry;
  return result;
}

void leave_rest(std::vector<std::string>& words, const Entry* entry) {
  if (entry == nullptr) return;
  if (std::vector<std::string>* behind = entry->options.behind_dashes(); behind != nullptr) {
    const auto dashes = std::ranges::find(words, "--");
    if (dashes == words.end()) return;
    behind->assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  if (entry->options.rest() == nullptr) return;
  auto positional = std::ranges::count_if(entry->options.all(), &Option::is_positional);
  auto at = words.begin() + 1;
  for (; at != words.end() && positional > 0; ++at) {
    if (!at->starts_with('-')) --positional;
    else if (takes_next(*at, entry->options) && at + 1 != words.end()) ++at;
  }
  std::vector<std::string>& rest = *entry->options.rest();
  rest.assign(at, words.end());
  words.erase(at, words.end());
  if (!rest.empty() && rest.front() == "--") rest.erase(rest.begin());
}

}  // namespace polytrace::cli
