// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/help/completion_scripts.hpp"
#include "cli/help/completion_words.hpp"

namespace polytrace::cli {
namespace {

constexpr std::string_view kFishHead =
    R"sh(# fish completion for polytrace; made by: polytrace completion fish
# Whether the line is of this command: one word, or two.
function __polytrace_at
    set -l words (commandline -opc)
    test (count $words) -gt (count $argv); or return 1
    set -l last (math 1 + (count $argv))
    test "$words[2..$last]" = "$argv"
end
# The words with what stands before the last comma.
function __polytrace_list
    set -l begun (commandline -ct | string replace -r '^--[^=]*=' '')
    set begun (string replace -r '[^,]*$' '' -- $begun)
    printf '%s\n' "$begun"$argv
end
# The names of the threads of the first file on the line.
function __polytrace_threads
    set -l words (commandline -opc) (commandline -o)
    for word in $words[2..]
        set word (string replace -r '^~' $HOME -- $word)
        if test -f "$word"
            set -l program (string replace -r '^~' $HOME -- $words[1])
            $program completion --threads $word 2>/dev/null
            return
        end
    end
end
)sh";

std::string fish_quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return "'" + out + "'";
}

std::string fish_values(const CompletionWord& word) {
  const std::string words = fmt::format("{}", fmt::join(word.option.choices, " "));
  switch (word.completes) {
    case Completes::files: return " -F";
    case Completes::threads: return " -f -a '(__polytrace_threads)'";
    case Completes::list: return fmt::format(" -f -a '(__polytrace_list {})'", words);
    case Completes::choices: return " -f -a " + fish_quoted(words);
    case Completes::nothing: break;
  }
  return " -f";
}

std::string fish_word(const CompletionCommand& command, const CompletionWord& word) {
  std::string line = fmt::format("complete -c polytrace -n '__polytrace_at {}'", command.name);
  for (const std::string& name : word.option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (word.takes_value()) line += " -r";
  if (!word.option.value.empty()) line += fish_values(word);
  return line + " -d " + fish_quoted(word.option.description) + '\n';
}

}  // namespace

std::string fish_completion(const std::vector<CompletionCommand>& commands) {
  std::string out(kFishHead);
  for (const CompletionCommand& command : commands) {
    out += command.group.empty()
               ? std::string("complete -c polytrace -n __fish_use_subcommand")
               : fmt::format(
                     "complete -c polytrace -f -n '__polytrace_at {0}; and not "
                     "__fish_seen_subcommand_from {1}'",
                     command.group, fmt::join(group_members(commands, command.group), " "));
    out += fmt::format(" -a {} -d {}\n", command.own_name(), fish_quoted(command.purpose));
    for (const CompletionWord& word : command.options) out += fish_word(command, word);
    for (const CompletionWord& word : command.positionals) out += fish_word(command, word);
  }
  return out;
}

}  // namespace polytrace::cli
