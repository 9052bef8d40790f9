// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command.hpp"

#include <filesystem>

#include "service/runtimes/runtimes.hpp"

namespace polytrace::cli {

std::string own_command() {
  std::error_code none;
  const std::string own = service::own_path();
  const std::string found = service::find_in_path("polytrace");
  if (!found.empty() && std::filesystem::equivalent(found, own, none)) return "polytrace";
  const std::string near = std::filesystem::proximate(own, none);
  const bool is_near = !none && near.find('/') != near.npos && !near.starts_with("../..");
  return shell_quoted(is_near ? near : own);
}

std::string as_operand(const std::string& file) {
  return shell_quoted(file.starts_with('-') ? "./" + file : file);
}

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:@%,";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

}  // namespace polytrace::cli
