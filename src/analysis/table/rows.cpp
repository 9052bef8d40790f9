// SPDX-License-Identifier: Apache-2.0
#include "analysis/table/rows.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace polytrace::analysis {
namespace {

bool larger(std::int64_t a, std::int64_t b) { return a > b; }
bool larger(std::uint64_t a, std::uint64_t b) { return a > b; }
bool larger(std::int64_t a, std::uint64_t b) { return std::cmp_greater(a, b); }
bool larger(std::uint64_t a, std::int64_t b) { return std::cmp_greater(a, b); }
// A NaN would break the order: it counts as the smallest number.
template <class A, class B>
  requires(std::is_floating_point_v<A> || std::is_floating_point_v<B>)
bool larger(A a, B b) {
  const auto x = static_cast<long double>(a);
  const auto y = static_cast<long double>(b);
  if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
  return x > y;
}

// Numbers, then text, then what is not known.
int rank(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return 2;
  return std::holds_alternative<std::string>(cell) ? 1 : 0;
}

bool comes_before(const Cell& a, const Cell& b) {
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return std::visit(
      [](const auto& x, const auto& y) {
        using X = std::decay_t<decltype(x)>;
        using Y = std::decay_t<decltype(y)>;
        if constexpr (std::is_arithmetic_v<X> && std::is_arithmetic_v<Y>) return larger(x, y);
        else if constexpr (std::is_same_v<X, std::string> && std::is_same_v<X, Y>) return x < y;
        else return false;
      },
      a, b);
}

// -1, 0, 1: by the first text that differs.
int compare_texts(const std::vector<Cell>& a, const std::vector<Cell>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto* x = std::get_if<std::string>(&a[i]);
    const auto* y = std::get_if<std::string>(&b[i]);
    if (x != nullptr && y != nullptr && *x != *y) return *x < *y ? -1 : 1;
  }
  return 0;
}

// None of an empty key.
std::optional<std::size_t> column_of(const Table& table, std::string_view key) {
  if (key.empty()) return std::nullopt;
  const auto found = std::ranges::find(table.columns, key, &ColumnInfo::key);
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

}  // namespace

void limit_rows(Table& table, const TableOptions& options) {
  if (options.limit == 0 || table.rows.size() <= options.limit) return;
  table.rows_left_out += table.rows.size() - options.limit;
  table.rows.resize(options.limit);
}

void sort_and_limit(Table& table, const TableOptions& options, std::string_view default_key) {
  auto column = column_of(table, options.sort);
  if (!column) column = column_of(table, default_key);
  if (column) {
    std::ranges::stable_sort(table.rows, [at = *column](const auto& a, const auto& b) {
      if (comes_before(a[at], b[at])) return true;
      return !comes_before(b[at], a[at]) && compare_texts(a, b) < 0;
    });
  }
  limit_rows(table, options);
}

}  // namespace polytrace::analysis
