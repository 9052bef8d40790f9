// SPDX-License-Identifier: Apache-2.0
#include "service/words/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace polytrace::service {
namespace {

// Letters to insert, drop or change to get from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string_view> listed(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    words.push_back(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(words.back().size() + 1, list.size()));
  }
  return words;
}

std::string nearest(std::string_view word, std::span<const std::string> choices) {
  constexpr std::size_t kLongest = 64;
  if (word.size() > kLongest) return {};
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& choice : choices) {
    const bool begins = word.size() >= 2 && choice.starts_with(word);
    const std::size_t far = begins ? 1 : distance(word, choice);
    // Two words that share no letter are not alike, however short they are.
    if (far < least && far < std::max(word.size(), choice.size())) {
      least = far;
      best = choice;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> choices) {
  const std::string guess = nearest(word, choices);
  return guess.empty() ? "" : fmt::format("; did you mean \"{}\"?", guess);
}

}  // namespace polytrace::service
