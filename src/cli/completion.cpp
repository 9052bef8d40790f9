// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.hpp"

#include <fmt/format.h>

#include "cli/help_model.hpp"
#include "cli/topics.hpp"

namespace polytrace::cli {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view gap = " ") {
  std::string text;
  for (const std::string& word : words) text += fmt::format("{}{}", text.empty() ? "" : gap, word);
  return text;
}

std::vector<std::string> ungrouped_names(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue.entries)
    if (!is_grouped(entry.command->help().name)) names.emplace_back(entry.command->help().name);
  return names;
}

// The names before the hyphen, each once.
std::vector<std::string> groups(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue.entries) {
    const std::string_view name = entry.command->help().name;
    if (!is_grouped(name)) continue;
    std::string group(name.substr(0, name.find('-')));
    if (names.empty() || names.back() != group) names.push_back(std::move(group));
  }
  return names;
}

// What stands behind the hyphen.
std::vector<std::string> members(const Catalogue& catalogue, const std::string& group) {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue.entries) {
    const std::string_view name = entry.command->help().name;
    if (name.starts_with(group + '-')) names.emplace_back(name.substr(group.size() + 1));
  }
  return names;
}

// One option or positional argument of one command.
struct Word {
  OptionHelp option;
  bool is_file() const { return option.value == "FILE" || option.value == "DIR"; }
};

struct CommandWords {
  std::string name;
  std::string purpose;
  std::vector<Word> options;
  std::vector<Word> positionals;
};

CommandWords words_of(const Entry& entry, const Catalogue& catalogue) {
  CommandWords words{
      std::string(entry.command->help().name), std::string(entry.command->help().purpose), {}, {}};
  for (const OptionGroup& group : option_groups(entry.options)) {
    for (OptionHelp option : group.options) {
      if (option.value == "COMMAND") {
        option.choices = ungrouped_names(catalogue);
        for (const Topic& topic : topics()) option.choices.emplace_back(topic.name);
      }
      (option.names.empty() ? words.positionals : words.options).push_back({option});
    }
  }
  return words;
}

std::vector<CommandWords> all_words(const Catalogue& catalogue) {
  std::vector<CommandWords> all;
  for (const Entry& entry : catalogue.entries) all.push_back(words_of(entry, catalogue));
  return all;
}

std::string bash_values(const Word& word, std::string_view current) {
  if (word.is_file()) return fmt::format("COMPREPLY=($(compgen -f -- \"{}\"))", current);
  return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"{}\"))", joined(word.option.choices),
                     current);
}

std::string bash_command(const CommandWords& command) {
  std::string out = fmt::format("    '{}')\n      case $before in\n", spoken(command.name));
  std::vector<std::string> names;
  for (const Word& word : command.options) {
    names.insert(names.end(), word.option.names.begin(), word.option.names.end());
    if (!word.option.value.empty())
      out += fmt::format("        {}) {}; return ;;\n", joined(word.option.names, "|"),
                         bash_values(word, "$now"));
  }
  out += "      esac\n      if [[ $now == -* ]]; then\n";
  out += fmt::format("        COMPREPLY=($(compgen -W \"{}\" -- \"$now\"))\n", joined(names));
  if (!command.positionals.empty())
    out += fmt::format("      else\n        {}\n", bash_values(command.positionals[0], "$now"));
  return out + "      fi\n      ;;\n";
}

// zsh reads ":" and brackets of a specification itself.
std::string zsh_quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    if (c == '\'') out += "'\\''";
    else out += c;
  }
  return out;
}

std::string zsh_values(const Word& word) {
  if (word.is_file()) return ":file:_files";
  if (word.option.choices.empty()) return fmt::format(":{}:", zsh_quoted(word.option.value));
  return fmt::format(":{}:({})", zsh_quoted(word.option.value), joined(word.option.choices));
}

std::string zsh_command(const CommandWords& command) {
  std::string out = fmt::format("    '{}')\n      _arguments", spoken(command.name));
  for (const Word& word : command.options) {
    for (const std::string& name : word.option.names)
      out += fmt::format(" \\\n        '{}[{}]{}'", name, zsh_quoted(word.option.description),
                         word.option.value.empty() ? "" : zsh_values(word));
  }
  for (const Word& word : command.positionals)
    out += fmt::format(" \\\n        '1{}'", zsh_values(word));
  return out + "\n      ;;\n";
}

std::string fish_quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return "'" + out + "'";
}

std::string fish_condition(const std::string& name) {
  const std::size_t hyphen = name.find('-');
  const std::string seen = "__fish_seen_subcommand_from ";
  if (hyphen == std::string::npos) return seen + name;
  return seen + name.substr(0, hyphen) + "; and " + seen + name.substr(hyphen + 1);
}

std::string fish_word(const CommandWords& command, const Word& word) {
  std::string line = fmt::format("complete -c polytrace -n '{}'", fish_condition(command.name));
  for (const std::string& name : word.option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!word.option.value.empty() && !word.option.names.empty()) line += " -r";
  if (word.is_file()) line += " -F";
  else if (!word.option.value.empty()) line += " -f";
  if (!word.option.choices.empty()) line += " -a " + fish_quoted(joined(word.option.choices));
  return line + " -d " + fish_quoted(word.option.description) + '\n';
}

}  // namespace

std::string bash_completion(const Catalogue& catalogue) {
  std::string out =
      "# bash completion for polytrace; made by: polytrace completion bash\n"
      "# shellcheck shell=bash disable=SC2207\n"
      "_polytrace() {\n"
      "  local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n";
  out += fmt::format(
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$now\") "
      "$(compgen -f -- \"$now\"))\n    return\n  fi\n  local command=${{COMP_WORDS[1]}}\n",
      joined(ungrouped_names(catalogue)));
  for (const std::string& group : groups(catalogue))
    out += fmt::format(
        "  if [[ $command == {0} ]]; then\n    if [[ $COMP_CWORD -eq 2 ]]; then\n"
        "      COMPREPLY=($(compgen -W \"{1} --help\" -- \"$now\"))\n      return\n    fi\n"
        "    command+=\" ${{COMP_WORDS[2]}}\"\n  fi\n",
        group, joined(members(catalogue, group)));
  out += "  case $command in\n";
  for (const CommandWords& command : all_words(catalogue)) out += bash_command(command);
  return out + "  esac\n}\ncomplete -o filenames -F _polytrace polytrace\n";
}

std::string zsh_completion(const Catalogue& catalogue) {
  std::string out =
      "#compdef polytrace\n# zsh completion for polytrace; made by: polytrace completion zsh\n"
      "_polytrace() {\n  local -a commands=(\n";
  for (const CommandWords& command : all_words(catalogue))
    if (!is_grouped(command.name))
      out += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(command.purpose));
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    _files\n"
      "    return\n  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n";
  for (const std::string& group : groups(catalogue))
    out += fmt::format(
        "  if [[ $command == {0} ]]; then\n    if (( CURRENT == 2 )); then\n"
        "      compadd {1}\n      return\n    fi\n    command+=\" $words[2]\"\n    shift words\n"
        "    (( CURRENT-- ))\n  fi\n",
        group, joined(members(catalogue, group)));
  out += "  case $command in\n";
  for (const CommandWords& command : all_words(catalogue)) out += zsh_command(command);
  return out +
         "  esac\n}\nif [[ $funcstack[1] == _polytrace ]]; then\n  _polytrace \"$@\"\n"
         "else\n  compdef _polytrace polytrace\nfi\n";
}

std::string fish_completion(const Catalogue& catalogue) {
  std::string out = "# fish completion for polytrace; made by: polytrace completion fish\n";
  for (const CommandWords& command : all_words(catalogue)) {
    const std::size_t hyphen = command.name.find('-');
    if (hyphen == std::string::npos)
      out += fmt::format("complete -c polytrace -n __fish_use_subcommand -a {} -d {}\n",
                         command.name, fish_quoted(command.purpose));
    else
      out +=
          fmt::format("complete -c polytrace -f -n '__fish_seen_subcommand_from {}' -a {} -d {}\n",
                      command.name.substr(0, hyphen), command.name.substr(hyphen + 1),
                      fish_quoted(command.purpose));
    for (const Word& word : command.options) out += fish_word(command, word);
    for (const Word& word : command.positionals) out += fish_word(command, word);
  }
  return out;
}

}  // namespace polytrace::cli
