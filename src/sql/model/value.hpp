// SPDX-License-Identifier: Apache-2.0
// A cell: of a table, of an answer, or a parameter of a question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace polytrace::sql {

// Bytes of a text that a query makes. What one function does to so much takes a fraction of a
// second, and nothing looks at the clock meanwhile.
inline constexpr std::size_t kLongestText = std::size_t{8} << 20;

enum class Type : std::uint8_t { null, integer, real, text };

struct Value {
  Type type = Type::null;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text{};  // lives as long as who gave the value says
  bool lasts = false;       // the text lives as long as its trace

  static Value of(std::int64_t number) { return {.type = Type::integer, .integer = number}; }
  // Larger numbers than SQL has: its largest.
  static Value of(std::uint64_t number) {
    return of(static_cast<std::int64_t>(number > INT64_MAX ? INT64_MAX : number));
  }
  static Value of(std::uint32_t number) { return of(std::int64_t{number}); }
  static Value of(bool is_so) { return of(std::int64_t{is_so}); }
  static Value of(double number) { return {.type = Type::real, .real = number}; }
  static Value of(std::string_view text) { return {.type = Type::text, .text = text}; }
  // Of the trace itself.
  static Value name(std::string_view text) {
    return {.type = Type::text, .text = text, .lasts = true};
  }
  // Not told, where the text is empty.
  static Value told(std::string_view text) { return text.empty() ? Value() : name(text); }

  bool is_null() const { return type == Type::null; }
  bool is_integer() const { return type == Type::integer; }
  bool operator==(const Value&) const = default;
};

}  // namespace polytrace::sql
