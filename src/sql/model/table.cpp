// SPDX-License-Identifier: Apache-2.0
#include "sql/model/table.hpp"

namespace polytrace::sql {

bool Condition::holds(const Value& cell) const {
  if (test == Test::any_of) {
    // A list may hold what is compared otherwise.
    if (!std::ranges::all_of(list, &Value::is_integer)) return true;
    return cell.is_integer() &&
           std::ranges::find(list, cell.integer, &Value::integer) != list.end();
  }
  if (value.is_null()) return false;
  if (!value.is_integer() || test == Test::glob || test == Test::like) return true;
  if (!cell.is_integer()) return false;
  switch (test) {
    case Test::equal: return cell.integer == value.integer;
    case Test::less: return cell.integer < value.integer;
    case Test::less_equal: return cell.integer <= value.integer;
    case Test::greater: return cell.integer > value.integer;
    case Test::greater_equal: return cell.integer >= value.integer;
    default: return true;
  }
}

namespace {

const Condition* parameter_of(const std::vector<Condition>& conditions, int column) {
  for (const Condition& condition : conditions)
    if (condition.column == column && condition.test == Condition::Test::equal) return &condition;
  return nullptr;
}

}  // namespace

Value Scan::parameter(int column) const {
  const Condition* const found = parameter_of(conditions, column);
  return found == nullptr ? Value() : found->value;
}

bool Scan::has_parameter(int column) const { return parameter_of(conditions, column) != nullptr; }

bool Scan::is_asked(int column) const {
  const std::uint64_t bit = std::uint64_t{1} << std::min(column, 63);
  return (columns & bit) != 0 ||
         std::ranges::find(conditions, column, &Condition::column) != conditions.end();
}

namespace {

void narrow(Scan::Bounds& bounds, std::int64_t least, std::int64_t most) {
  bounds.least = std::max(bounds.least, least);
  bounds.most = std::min(bounds.most, most);
}

void narrow_by(Scan::Bounds& bounds, const Condition& condition) {
  using Test = Condition::Test;
  const std::int64_t value = condition.value.integer;
  constexpr std::int64_t kLeast = INT64_MIN;
  constexpr std::int64_t kMost = INT64_MAX;
  switch (condition.test) {
    case Test::equal: return narrow(bounds, value, value);
    case Test::less:
      return value == kLeast ? narrow(bounds, kMost, kLeast) : narrow(bounds, kLeast, value - 1);
    case Test::less_equal: return narrow(bounds, kLeast, value);
    case Test::greater:
      return value == kMost ? narrow(bounds, kMost, kLeast) : narrow(bounds, value + 1, kMost);
    case Test::greater_equal: return narrow(bounds, value, kMost);
    default: return;
  }
}

}  // namespace

Scan::Bounds Scan::bounds(int column) const {
  Bounds bounds;
  for (const Condition& condition : conditions) {
    if (condition.column != column) continue;
    if (condition.test != Condition::Test::any_of && condition.value.is_null())
      narrow(bounds, INT64_MAX, INT64_MIN);
    else if (condition.test != Condition::Test::any_of && condition.value.is_integer())
      narrow_by(bounds, condition);
  }
  return bounds;
}

}  // namespace polytrace::sql
