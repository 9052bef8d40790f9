// SPDX-License-Identifier: Apache-2.0
#include "sql/functions/filter.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <charconv>

#include "base/codes.hpp"

namespace polytrace::sql {
namespace {

using Test = Condition::Test;

struct SignRow {
  std::string_view sign;
  Test test;
};
constexpr SignRow kSigns[]{{"<=", Test::less_equal},
                           {">=", Test::greater_equal},
                           {"<", Test::less},
                           {">", Test::greater},
                           {"=", Test::equal}};

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Where the next "and" stands by itself, outside of quotes.
std::size_t and_in(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') quoted = !quoted;
    if (!quoted && text.size() - i >= 5 && strncasecmp(text.data() + i, " and ", 5) == 0) return i;
  }
  return text.npos;
}

base::Unexpected wrong_test(std::string_view test) {
  return base::fail(base::Code::query_wrong,
                    fmt::format("a filter is column = 1 and column >= 2 ..., not \"{}\"", test));
}

}  // namespace

base::result<const Table*> table_named(const FindTable& find, const Value& name) {
  const Table* const table = name.type == Type::text ? find(name.text) : nullptr;
  if (table == nullptr)
    return base::fail(base::Code::query_wrong, fmt::format("no table \"{}\"", name.text));
  return table;
}

base::result<int> column_named(const TableInfo& table, std::string_view name) {
  const int column = table.find(without_blanks(name));
  if (column < 0)
    return base::fail(base::Code::query_wrong,
                      fmt::format("no column \"{}\" in {}", name, table.name));
  return column;
}

base::result<void> FilteredRows::parse_one(const TableInfo& table, std::string_view test) {
  for (const SignRow& row : kSigns) {
    const std::size_t at = test.find(row.sign);
    if (at == test.npos) continue;
    const auto column = column_named(table, test.substr(0, at));
    if (!column) return tl::unexpected(column.error());
    const Column& info = table.columns[static_cast<std::size_t>(*column)];
    const std::string_view word = without_blanks(test.substr(at + row.sign.size()));
    if (info.use != Column::Use::pushed)
      return base::fail(base::Code::query_wrong,
                        fmt::format("{} is not quick to search: use WHERE", info.name));
    Condition condition{.column = *column, .test = row.test};
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (fault == std::errc() && end == word.data() + word.size() && info.type == Type::integer)
      condition.value = Value::of(number);
    else if (word.size() >= 2 && word.starts_with('\'') && word.ends_with('\'') &&
             row.test == Test::equal && info.type == Type::text)
      condition.value = Value::of(word.substr(1, word.size() - 2));
    else return wrong_test(test);
    scan_.conditions.push_back(condition);
    return {};
  }
  return wrong_test(test);
}

base::result<void> FilteredRows::parse(const TableInfo& table, std::string_view filter) {
  while (!without_blanks(filter).empty()) {
    const std::size_t end = and_in(filter);
    if (auto done = parse_one(table, filter.substr(0, end)); !done) return done;
    filter = end == filter.npos ? std::string_view() : filter.substr(end + 5);
  }
  return {};
}

base::result<std::unique_ptr<FilteredRows>> FilteredRows::open(const Table& table,
                                                               const Value& filter,
                                                               std::uint64_t columns,
                                                               const std::atomic<bool>* stop) {
  auto rows = std::make_unique<FilteredRows>();
  if (!filter.is_null() && filter.type != Type::text) return wrong_test("a number");
  rows->text_ = filter.text;
  if (auto parsed = rows->parse(table.info(), rows->text_); !parsed)
    return tl::unexpected(parsed.error());
  rows->scan_.columns = columns;
  for (const Condition& condition : rows->scan_.conditions)
    rows->scan_.columns |= std::uint64_t{1} << std::min(condition.column, 63);
  rows->scan_.stop = stop;
  auto cursor = table.open(rows->scan_);
  if (!cursor) return tl::unexpected(cursor.error());
  rows->cursor_ = std::move(*cursor);
  return rows;
}

bool FilteredRows::fits() const {
  return std::ranges::all_of(scan_.conditions, [&](const Condition& condition) {
    return condition.value.type != Type::text ||
           value(condition.column).text == condition.value.text;
  });
}

base::result<bool> FilteredRows::next() {
  for (;;) {
    if ((++looks_ & 0xfff) == 0 && scan_.is_stopped())
      return base::fail(base::Code::query_timeout, "stopped");
    const auto more = cursor_->next();
    if (!more || !*more || fits()) return more;
  }
}

}  // namespace polytrace::sql
