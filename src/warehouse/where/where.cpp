// SPDX-License-Identifier: Apache-2.0
#include "warehouse/where/where.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace polytrace::warehouse {
namespace {

using Kind = Where::Kind;
using Test = Where::Test;

// What people call a column of the table `series`; other keys are free labels.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kColumns{
    {{"service", "service_name"},
     {"version", "version"},
     {"host", "host"},
     {"instance", "instance"},
     {"runtime", "runtime"},
     {"agent", "agent"}}};

constexpr std::array<std::pair<Test, std::string_view>, 5> kTests{{{Test::equal, "="},
                                                                   {Test::unequal, "!="},
                                                                   {Test::found, "=~"},
                                                                   {Test::not_found, "!~"},
                                                                   {Test::one_of, "in"}}};

std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

// Its parts in parentheses where they are of two or more themselves.
std::string joined_text(const Where& where) {
  std::vector<std::string> parts;
  for (const Where& part : where.parts) {
    const bool is_joined = part.kind == Kind::all_of || part.kind == Kind::any_of;
    parts.push_back(is_joined ? '(' + to_text(part) + ')' : to_text(part));
  }
  if (where.kind == Kind::negation) return "not " + parts.front();
  return fmt::format("{}", fmt::join(parts, where.kind == Kind::all_of ? " and " : " or "));
}

std::string test_sql(const Where& where) {
  const std::string column = column_of(where.key);
  std::vector<std::string> values;
  for (const std::string& value : where.values) values.push_back(sql_text(value));
  switch (where.test) {
    case Test::equal: return fmt::format("{} = {}", column, values.front());
    case Test::unequal: return fmt::format("{} != {}", column, values.front());
    case Test::found: return fmt::format("match({}, {})", column, values.front());
    case Test::not_found: return fmt::format("NOT match({}, {})", column, values.front());
    case Test::one_of: return fmt::format("{} IN ({})", column, fmt::join(values, ", "));
  }
  return "1";
}

}  // namespace

std::string sql_text(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') literal += '\\';
    if (c == '\0') literal += "\\0";
    else literal += c;
  }
  return literal + '\'';
}

std::string column_of(std::string_view key) {
  const auto found =
      std::ranges::find(kColumns, key, &std::pair<std::string_view, std::string_view>::first);
  if (found != kColumns.end()) return std::string(found->second);
  return fmt::format("label_values[indexOf(label_names, {})]", sql_text(key));
}

std::string to_text(const Where& where) {
  if (where.kind == Kind::everything) return {};
  if (where.kind != Kind::test) return joined_text(where);
  const auto test =
      std::ranges::find(kTests, where.test, &std::pair<Test, std::string_view>::first);
  if (where.test != Test::one_of)
    return fmt::format("{}{}{}", where.key, test->second, in_quotes(where.values.front()));
  std::vector<std::string> values;
  for (const std::string& value : where.values) values.push_back(in_quotes(value));
  return fmt::format("{} in ({})", where.key, fmt::join(values, ", "));
}

std::string to_sql(const Where& where) {
  if (where.kind == Kind::everything) return "1";
  if (where.kind == Kind::test) return test_sql(where);
  std::vector<std::string> parts;
  for (const Where& part : where.parts) parts.push_back('(' + to_sql(part) + ')');
  if (where.kind == Kind::negation) return "NOT " + parts.front();
  return fmt::format("{}", fmt::join(parts, where.kind == Kind::all_of ? " AND " : " OR "));
}

bool asks_for(const Where& where, std::string_view key) {
  if (where.kind == Kind::test && where.key == key) return true;
  return std::ranges::any_of(where.parts, [&](const Where& part) { return asks_for(part, key); });
}

}  // namespace polytrace::warehouse
