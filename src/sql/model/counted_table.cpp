// SPDX-License-Identifier: Apache-2.0
#include "sql/model/counted_table.hpp"

#include <algorithm>
#include <optional>

#include "sql/model/meeting.hpp"

namespace polytrace::sql {
namespace {

// The values that a column must have one of, ascending; nothing where that is not said.
std::optional<std::vector<std::int64_t>> wanted_of(const Scan& scan, int column) {
  using Test = Condition::Test;
  for (const Condition& condition : scan.conditions) {
    if (condition.column != column) continue;
    if (condition.test == Test::equal && condition.value.is_integer())
      return std::vector{condition.value.integer};
    if (condition.test != Test::any_of || !std::ranges::all_of(condition.list, &Value::is_integer))
      continue;
    std::vector<std::int64_t> values;
    for (const Value& value : condition.list) values.push_back(value.integer);
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    return values;
  }
  return {};
}

}  // namespace

// Rows in a stretch, or those listed, that fit the conditions.
class CountedTable::Rows final : public Cursor {
 public:
  Rows(const CountedTable& table, const Scan& scan)
      : table_(table), at_(table.interval()), meeting_(meeting_of(scan, at_.meets)) {
    for (const Condition& condition : scan.conditions)
      if (condition.column != at_.meets) conditions_.push_back(condition);
  }
  void take(std::uint64_t begin, std::uint64_t end) { next_ = begin, end_ = end; }
  void take(std::vector<std::uint64_t> listed) {
    listed_ = std::move(listed);
    take(0, listed_->size());
  }

  base::result<bool> next() override {
    while (next_ < end_) {
      row_ = listed_ ? (*listed_)[next_] : next_;
      ++next_;
      if (fits()) return true;
    }
    return false;
  }
  Value value(int column) const override { return table_.cell(row_, column); }

 private:
  bool fits() const {
    if (meeting_) {
      const std::int64_t start = table_.cell(row_, at_.ts).integer;
      const std::int64_t end = end_of(start, table_.cell(row_, at_.dur).integer);
      if (!meeting_->meets(start, end)) return false;
    }
    return std::ranges::all_of(conditions_, [&](const Condition& condition) {
      return condition.holds(table_.cell(row_, condition.column));
    });
  }

  const CountedTable& table_;
  IntervalColumns at_;
  std::optional<Meeting> meeting_;
  std::vector<Condition> conditions_{};
  std::optional<std::vector<std::uint64_t>> listed_{};
  std::uint64_t next_ = 0, end_ = 0, row_ = 0;
};

double CountedTable::expected() const {
  const auto count = rows();
  return count ? static_cast<double>(*count) : 1;
}

double CountedTable::estimate(std::uint64_t equal, std::uint64_t ranges) const {
  const double all = expected();
  if (key() >= 0 && (equal >> key() & 1) != 0) return 1;
  if (equal != 0) return std::max(1.0, all / 100);
  return ranges != 0 ? std::max(1.0, all / 4) : all;
}

const CountedTable::Index& CountedTable::index_of(int column, std::uint64_t rows) const {
  const std::lock_guard lock(mutex_);
  const auto [place, fresh] = indexes_.try_emplace(column);
  Index& index = place->second;
  if (!fresh) return index;
  for (std::uint64_t row = 0; row < rows; ++row)
    if (const Value value = cell(row, column); value.is_integer())
      index.rows.emplace_back(value.integer, static_cast<std::uint32_t>(row));
  std::ranges::sort(index.rows);
  return index;
}

std::uint64_t CountedTable::first_from(std::int64_t value, std::uint64_t rows) const {
  std::uint64_t begin = 0;
  while (begin < rows) {
    const std::uint64_t middle = begin + (rows - begin) / 2;
    if (cell(middle, key()).integer < value) begin = middle + 1;
    else rows = middle;
  }
  return begin;
}

// In order of the table.
std::vector<std::uint64_t> CountedTable::found(int column, const std::vector<std::int64_t>& values,
                                               std::uint64_t rows) const {
  std::vector<std::uint64_t> all;
  for (const std::int64_t value : values) {
    if (column == key()) {
      for (std::uint64_t row = first_from(value, rows);
           row < rows && cell(row, column).integer == value; ++row)
        all.push_back(row);
      continue;
    }
    const auto& index = index_of(column, rows).rows;
    for (auto at = std::ranges::lower_bound(index, std::pair(value, std::uint32_t{0}));
         at != index.end() && at->first == value; ++at)
      all.push_back(at->second);
  }
  std::ranges::sort(all);
  return all;
}

base::result<std::unique_ptr<Cursor>> CountedTable::open(const Scan& scan) const {
  const auto count = rows();
  if (!count) return tl::unexpected(count.error());
  auto cursor = std::make_unique<Rows>(*this, scan);
  if (key() >= 0) {
    const Scan::Bounds bounds = scan.bounds(key());
    if (bounds.is_empty()) return cursor;
    cursor->take(first_from(bounds.least, *count),
                 bounds.most == INT64_MAX ? *count : first_from(bounds.most + 1, *count));
  } else {
    cursor->take(0, *count);
  }
  for (const Condition& condition : scan.conditions)
    if (condition.column != interval().meets &&
        info().columns[static_cast<std::size_t>(condition.column)].type == Type::integer)
      if (const auto values = wanted_of(scan, condition.column)) {
        cursor->take(found(condition.column, *values, *count));
        break;
      }
  return cursor;
}

}  // namespace polytrace::sql
