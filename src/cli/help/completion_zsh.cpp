// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/help/completion_scripts.hpp"
#include "cli/help/completion_words.hpp"

namespace polytrace::cli {
namespace {

constexpr std::string_view kZshHead = R"sh(#compdef polytrace
# zsh completion for polytrace; made by: polytrace completion zsh
# The names of the threads of the first file on the line.
_polytrace_threads() {
  local word
  local -a names
  for word in ${(Q)words[2,-1]}; do
    word=${word/#\~/$HOME}
    [[ -f $word ]] || continue
    names=(${(f)"$($polytrace completion --threads $word 2>/dev/null)"})
    break
  done
  compadd -a names
}
_polytrace() {
  local polytrace=${(Q)words[1]/#\~/$HOME}
  local -a commands=(
)sh";

constexpr std::string_view kZshTail = R"sh(  esac
}
if [[ $funcstack[1] == _polytrace ]]; then
  _polytrace "$@"
else
  compdef _polytrace polytrace
fi
)sh";

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

std::string zsh_values(const CompletionWord& word) {
  const std::string name = zsh_quoted(word.option.value);
  const std::string words = zsh_quoted(fmt::format("{}", fmt::join(word.option.choices, " ")));
  switch (word.completes) {
    case Completes::files: return ":file:_files";
    case Completes::threads: return ":thread:_polytrace_threads";
    case Completes::list: return fmt::format(":{}:_sequence compadd - {}", name, words);
    case Completes::choices:
      return word.is_open() ? fmt::format(":{}:compadd -S \"\" - {}", name, words)
                            : fmt::format(":{}:({})", name, words);
    case Completes::nothing: break;
  }
  return fmt::format(":{}:", name);
}

// "-o+": the value may follow at once; "--to=": behind an equals sign, too.
std::string zsh_taker(const std::string& name) {
  return name + (name.starts_with("--") ? "=" : "+");
}

std::string zsh_command(const CompletionCommand& command) {
  std::string out = fmt::format("    '{}')\n      _arguments", command.name);
  for (const CompletionWord& word : command.options) {
    for (const std::string& name : word.option.names)
      out += fmt::format(" \\\n        '*{}[{}]{}'", word.takes_value() ? zsh_taker(name) : name,
                         zsh_quoted(word.option.description),
                         word.takes_value() ? zsh_values(word) : "");
  }
  for (std::size_t i = 0; i < command.positionals.size(); ++i)
    out += fmt::format(" \\\n        '{}{}'", i + 1, zsh_values(command.positionals[i]));
  if (command.leaves_rest || command.name == "merge") out += " \\\n        '*:file:_files'";
  return out + "\n      ;;\n";
}

}  // namespace

std::string zsh_completion(const std::vector<CompletionCommand>& commands) {
  std::string out(kZshHead);
  for (const CompletionCommand& command : commands)
    if (command.group.empty())
      out += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(command.purpose));
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    _files\n"
      "    return\n  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n";
  for (const std::string& group : group_names(commands))
    out += fmt::format(
        "  if [[ $command == {0} ]]; then\n    if (( CURRENT == 2 )); then\n"
        "      compadd - {1}\n      return\n    fi\n    command+=\" $words[2]\"\n    shift words\n"
        "    (( CURRENT-- ))\n  fi\n",
        group, fmt::join(group_members(commands, group), " "));
  out += "  case $command in\n";
  for (const CompletionCommand& command : commands) out += zsh_command(command);
  return out + std::string(kZshTail);
}

}  // namespace polytrace::cli
