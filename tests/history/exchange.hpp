// SPDX-License-Identifier: Apache-2.0
// What the tests of the exchange files share.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "history/files/json_file.hpp"
#include "history/model/texts.hpp"
#include "history/model/value.hpp"

namespace polytrace::history::test {

inline std::string data_path(const std::string& name) {
  return std::string(POLYTRACE_TEST_DATA) + "/history/" + name;
}

// A file of tests/data/history, unpacked.
inline std::string data(const std::string& name) {
  base::Notices notices;
  const auto text = load_text(data_path(name), notices);
  EXPECT_TRUE(text.has_value() && notices.empty()) << name;
  return text.value_or("");
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Names and values that break careless code: quotes, separators, escapes, zero, long characters.
inline std::string awkward_text(std::mt19937_64& engine) {
  static constexpr std::array<std::string_view, 16> kParts{
      "a",  "\"", ",",  "\n", "\r\n", "/",  "*",        "\\",
      "..", " ",  "\t", "é",  "😀",   "{}", "\x01\x7f", std::string_view("\0", 1)};
  std::string text;
  for (std::size_t left = engine() % 6; left > 0; --left) text += kParts[engine() % kParts.size()];
  return text;
}

// Of a type that a timeline of type `type` can hold; any not-a-number is the quiet one.
Value random_value(Type type, std::mt19937_64& engine, Texts& texts);

}  // namespace polytrace::history::test
