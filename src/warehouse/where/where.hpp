// SPDX-License-Identifier: Apache-2.0
// Which processes a question is about, by their labels:
//   service="shop" and (version in ("1", "2") or not region=~"^eu")
// Parsed into a tree and printed as SQL: no part of the text reaches a server as it was typed.
// Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace polytrace::warehouse {

struct Where {
  enum class Kind : std::uint8_t { everything, test, negation, all_of, any_of };
  enum class Test : std::uint8_t { equal, unequal, found, not_found, one_of };

  Kind kind = Kind::everything;
  std::vector<Where> parts{};  // of a negation one, of all_of and any_of two or more
  // Of a test. A label that a series has not is the empty text.
  std::string key{};
  Test test = Test::equal;
  std::vector<std::string> values{};  // of one_of any number, else one

  bool operator==(const Where&) const = default;
};

// The empty text is everything. Errors are where_wrong, with the column.
base::result<Where> parse_where(std::string_view text);
// Parses to the same tree.
std::string to_text(const Where& where);
// A condition on the columns of the table `series`.
std::string to_sql(const Where& where);
// Whether it asks for one of these keys.
bool asks_for(const Where& where, std::string_view key);

// What stands for a label in statements: a column of `series`, or an expression of its columns.
std::string column_of(std::string_view key);
// Whether it can be the name of a label.
bool is_key(std::string_view text);
// The text as a literal of SQL: the one place where texts enter statements. Any bytes.
std::string sql_text(std::string_view text);

}  // namespace polytrace::warehouse
