// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/parser.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/codes.hpp"
#include "service/words/words.hpp"

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

std::string no_command(std::string_view what, const std::string& word, const Catalogue& catalogue) {
  return fmt::format("no {} \"{}\"{}", what, word,
                     service::did_you_mean(word, command_names(catalogue)));
}

// A group's name and the word behind it are one command's name.
std::optional<base::Error> settle_group(std::vector<std::string>& words,
                                        std::vector<std::string>::iterator at,
                                        const Catalogue& catalogue) {
  const auto is_of_group = [&](const Entry& entry) { return entry.name().starts_with(*at + '-'); };
  const auto next = at + 1;
  if (next == words.end() || next->starts_with('-') ||
      std::ranges::none_of(catalogue.entries, is_of_group))
    return std::nullopt;
  const std::string both = *at + ' ' + *next;
  const Entry* entry = catalogue.find(both);
  if (entry == nullptr)
    return base::Error{base::Code::usage, {}, no_command("command", both, catalogue)};
  *at = entry->name();
  words.erase(next);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> command_names(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue.entries) names.push_back(spoken(entry.name()));
  return names;
}

std::optional<base::Error> settle_first_word(std::vector<std::string>& words,
                                             const Catalogue& catalogue) {
  const auto at = first_word(words);
  if (at == words.end()) return std::nullopt;
  if (auto fault = settle_group(words, at, catalogue)) return fault;
  if (catalogue.find(*at) != nullptr) {
    std::rotate(words.begin(), at, at + 1);
    return std::nullopt;
  }
  if (is_file(*at)) {
    words.insert(words.begin(), "info");
    return std::nullopt;
  }
  return base::Error{base::Code::usage, {}, no_command("command or file", *at, catalogue)};
}

}  // namespace polytrace::cli
