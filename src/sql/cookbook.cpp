// SPDX-License-Identifier: Apache-2.0
#include "sql/cookbook.hpp"

#include <algorithm>
#include <cctype>

namespace polytrace::sql {

std::span<const Example> cookbook() {
  static constexpr Example kAll[]{
#define EXAMPLE(question, query) {question, query},
#include "sql/cookbook.def"
#undef EXAMPLE
  };
  return kAll;
}

bool is_about(const Example& example, std::string_view word) {
  const auto has = [&](std::string_view text) {
    const auto alike = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) ==
             std::tolower(static_cast<unsigned char>(b));
    };
    return word.empty() || std::ranges::search(text, word, alike).begin() != text.end();
  };
  return has(example.question) || has(example.query);
}

}  // namespace polytrace::sql
