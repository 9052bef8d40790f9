// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "cli/show/environment.hpp"

namespace polytrace::cli {

namespace fs = std::filesystem;

std::vector<std::string> folders_of(std::string_view list) {
  std::vector<std::string> folders;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) folders.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return folders;
}

std::string own_path() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

std::string find_in_path(std::string_view name) {
  for (const std::string& folder : folders_of(variable("PATH"))) {
    const std::string path = fmt::format("{}/{}", folder, name);
    std::error_code none;
    if (access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, none)) return path;
  }
  return {};
}

std::string own_command() {
  std::error_code none;
  const std::string found = find_in_path("polytrace");
  if (!found.empty() && fs::equivalent(found, own_path(), none)) return "polytrace";
  const std::string near = fs::proximate(own_path(), none);
  const bool is_near = !none && near.find('/') != near.npos && !near.starts_with("../..");
  return shell_quoted(is_near ? near : own_path());
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
