// SPDX-License-Identifier: Apache-2.0
// bash. What is the same for every command stands in the script's own functions; commands are data
// for them.
#include "cli/help/completion_scripts.hpp"

#include <fmt/format.h>

#include "cli/help/completion_words.hpp"

namespace polytrace::cli {
namespace {

// bash breaks words at "=" and ":", too; $now is put together again from what lies between blanks.
constexpr std::string_view kBashHead =
    R"sh(# bash completion for polytrace; made by: polytrace completion bash
# shellcheck shell=bash
# What a reply replaces begins behind the last colon, where colons break words.
_polytrace_reply() {
  local reply begun=''
  [[ $COMP_WORDBREAKS == *:* && $now == *:* ]] && begun=${now%"${now##*:}"}
  while IFS= read -r reply; do
    [[ $reply == "$now"* ]] && COMPREPLY+=("${reply#"$begun"}")
  done
}
_polytrace_pick() { _polytrace_reply < <(printf '%s\n' "$@"); }
_polytrace_open() {
  compopt -o nospace
  _polytrace_pick "$@"
}
# The words of a list that are not in it yet.
_polytrace_list() {
  local word before=${now%"${now##*,}"} words=()
  for word; do [[ ,$before == *,"$word",* ]] || words+=("$before$word"); done
  compopt -o nospace
  [[ ${#words[@]} -eq 0 ]] || _polytrace_pick "${words[@]}"
}
_polytrace_files() {
  compopt -o filenames
  _polytrace_reply < <(compgen -f -- "$now")
}
# The names of the threads of the first file on the line.
_polytrace_threads() {
  local word file='' program=${COMP_WORDS[0]/#\~/$HOME}
  for word in "${COMP_WORDS[@]:2}"; do
    word=${word/#\~/$HOME} word=${word//[\"\'\\]/}
    [[ -f $word && -z $file ]] && file=$word
  done
  [[ -n $file ]] || return
  _polytrace_reply < <("$program" completion --threads "$file" 2>/dev/null)
  # Within quotes that the user began, bash knows best; it would leave a "$" bare else.
  if [[ ${COMP_WORDS[COMP_CWORD]} == [\"\']* ]]; then
    compopt -o filenames
  elif [[ ${#COMPREPLY[@]} -gt 0 ]]; then
    mapfile -t COMPREPLY < <(printf '%q\n' "${COMPREPLY[@]}")
  fi
}
# The word at the cursor, without quotes; the option before it; how many words are neither options
# nor their values.
_polytrace_look() {
  local i word
  now=${COMP_WORDS[COMP_CWORD]} before='' place=0
  for ((i = COMP_CWORD - 1; i > 1; --i)); do
    [[ ${COMP_WORDS[i]} == : || ${COMP_WORDS[i + 1]} == : ]] || break
    now=${COMP_WORDS[i]}$now
  done
  before=${COMP_WORDS[i]}
  if [[ $now == = ]]; then now=''; fi
  if [[ $before == = ]]; then before=${COMP_WORDS[i - 1]}; fi
  now=${now//[\"\'\\]/}
  for ((i = first; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == = ]]; then ((++i));
    elif [[ $word != -* && " $takers " != *" ${COMP_WORDS[i - 1]} "* && $word != : ]]; then
      ((++place))
    fi
  done
}
)sh";

constexpr std::string_view kBashTail = R"sh(complete -F _polytrace polytrace
)sh";

std::string bash_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += ' ' + word;
  return text;
}

std::string bash_value(const CompletionWord& word) {
  switch (word.completes) {
    case Completes::files: return "_polytrace_files";
    case Completes::threads: return "_polytrace_threads";
    case Completes::list: return "_polytrace_list" + bash_words(word.option.choices);
    case Completes::choices:
      return (word.is_open() ? "_polytrace_open" : "_polytrace_pick") +
             bash_words(word.option.choices);
    case Completes::nothing: break;
  }
  return ":";
}

std::string bash_places(const CompletionCommand& command) {
  std::string out;
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const bool last = i + 1 == command.positionals.size() && !command.leaves_rest;
    out += fmt::format("        {}) {} ;;\n", last ? "*" : fmt::format("{}", i),
                       bash_value(command.positionals[i]));
  }
  // Words of the other program: its files, more is not known.
  if (command.leaves_rest) out += "        *) _polytrace_files ;;\n";
  return out;
}

std::string bash_command(const CompletionCommand& command) {
  std::vector<std::string> names, takers;
  std::string values;
  for (const CompletionWord& word : command.options) {
    names.insert(names.end(), word.option.names.begin(), word.option.names.end());
    if (!word.takes_value()) continue;
    takers.insert(takers.end(), word.option.names.begin(), word.option.names.end());
    values +=
        fmt::format("        {}) {} ;;\n", fmt::join(word.option.names, "|"), bash_value(word));
  }
  std::string out = fmt::format("    '{}')\n      takers='{}'\n      _polytrace_look\n",
                                command.name, fmt::join(takers, " "));
  out += "      case $before in\n" + values +
         "        *) before='' ;;\n      esac\n      [[ -z $before ]] || return\n";
  out += fmt::format("      if [[ $now == -* ]]; then _polytrace_pick{}; return; fi\n",
                     bash_words(names));
  if (!command.positionals.empty())
    out += "      case $place in\n" + bash_places(command) + "      esac\n";
  return out + "      ;;\n";
}

}  // namespace

std::string bash_completion(const std::vector<CompletionCommand>& commands) {
  std::string out(kBashHead);
  out += fmt::format(
      "_polytrace() {{\n  local now before place takers='' first=2 command=${{COMP_WORDS[1]}}\n"
      "  COMPREPLY=()\n  if [[ $COMP_CWORD -eq 1 ]]; then\n    now=$command\n"
      "    _polytrace_files\n    _polytrace_pick {} --help --version\n    return\n  fi\n",
      fmt::join(first_words(commands), " "));
  for (const std::string& group : group_names(commands))
    out += fmt::format(
        "  if [[ $command == {} ]]; then\n    if [[ $COMP_CWORD -eq 2 ]]; then\n"
        "      now=${{COMP_WORDS[2]}}\n      _polytrace_pick {} --help\n      return\n    fi\n"
        "    command+=\" ${{COMP_WORDS[2]}}\" first=3\n  fi\n",
        group, fmt::join(group_members(commands, group), " "));
  out += "  case $command in\n";
  for (const CompletionCommand& command : commands) out += bash_command(command);
  return out + "  esac\n}\n" + std::string(kBashTail);
}

}  // namespace polytrace::cli
