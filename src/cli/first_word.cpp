// SPDX-License-Identifier: Apache-2.0
#include "cli/first_word.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "cli/words.hpp"

namespace polytrace::cli {
namespace {

// Looks like a path, or is one.
bool is_file(const std::string& word) {
  struct stat status{};
  return word == "-" || word.find_first_of("/.") != word.npos || stat(word.c_str(), &status) == 0;
}

// Common options that take the next word, where they are written without "=".
bool takes_next(const std::string& word) { return word == "--color" || word == "--progress"; }

std::vector<std::string>::iterator first_word(std::vector<std::string>& words) {
  auto at = words.begin();
  while (at != words.end() && at->starts_with('-') && *at != "-") {
    const bool skip = takes_next(*at) && at + 1 != words.end();
    at += skip ? 2 : 1;
  }
  return at;
}

}  // namespace

std::vector<std::string> command_names(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue.entries) names.emplace_back(entry.command->help().name);
  return names;
}

std::optional<base::Error> settle_first_word(std::vector<std::string>& words,
                                             const Catalogue& catalogue) {
  const auto at = first_word(words);
  if (at == words.end()) return std::nullopt;
  if (catalogue.find(*at) != nullptr) {
    std::rotate(words.begin(), at, at + 1);
    return std::nullopt;
  }
  if (is_file(*at)) {
    words.insert(words.begin(), "info");
    return std::nullopt;
  }
  return base::Error{
      base::Code::usage,
      {},
      fmt::format("no command or file \"{}\"{}", *at, did_you_mean(*at, command_names(catalogue)))};
}

}  // namespace polytrace::cli
