// SPDX-License-Identifier: Apache-2.0
#include "cli/help/completion_exchange.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace polytrace::cli {
namespace {

constexpr std::size_t kCommandFields = 5, kWordFields = 6;

std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(mark), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string write_word(const CompletionWord& word) {
  return fmt::format("word\t{}\t{}\t{}\t{}\t{}\n", fmt::join(word.option.names, " "),
                     word.option.value, word.option.description,
                     fmt::join(word.option.choices, " "), static_cast<int>(word.completes));
}

CompletionWord read_word(const std::vector<std::string>& fields) {
  constexpr int kLast = static_cast<int>(Completes::list);
  CompletionWord word{};
  word.option.names = split(fields[1], ' ');
  word.option.value = fields[2];
  word.option.description = fields[3];
  word.option.choices = split(fields[4], ' ');
  const int completes = fields[5].empty() ? 0 : fields[5].front() - '0';
  word.completes = static_cast<Completes>(std::clamp(completes, 0, kLast));
  return word;
}

CompletionCommand read_command(const std::vector<std::string>& fields) {
  CompletionCommand command;
  command.name = fields[1];
  command.group = fields[2];
  command.purpose = fields[3];
  command.leaves_rest = fields[4] == "1";
  return command;
}

}  // namespace

std::string write_completion(const std::vector<CompletionCommand>& commands) {
  std::string out;
  for (const CompletionCommand& command : commands) {
    out += fmt::format("command\t{}\t{}\t{}\t{}\n", command.name, command.group, command.purpose,
                       command.leaves_rest ? 1 : 0);
    for (const CompletionWord& word : command.options) out += write_word(word);
    for (const CompletionWord& word : command.positionals) out += write_word(word);
  }
  return out;
}

std::vector<CompletionCommand> read_completion(const std::vector<std::string>& lines) {
  std::vector<CompletionCommand> commands;
  for (const std::string& line : lines) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() == kCommandFields && fields[0] == "command") {
      commands.push_back(read_command(fields));
    } else if (fields.size() == kWordFields && fields[0] == "word" && !commands.empty()) {
      CompletionWord word = read_word(fields);
      CompletionCommand& command = commands.back();
      (word.is_positional() ? command.positionals : command.options).push_back(std::move(word));
    }
  }
  return commands;
}

}  // namespace polytrace::cli
