// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/plan.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace polytrace::sql {
namespace {

using Test = Condition::Test;

std::optional<Test> test_of(unsigned char op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return Test::equal;
    case SQLITE_INDEX_CONSTRAINT_LT: return Test::less;
    case SQLITE_INDEX_CONSTRAINT_LE: return Test::less_equal;
    case SQLITE_INDEX_CONSTRAINT_GT: return Test::greater;
    case SQLITE_INDEX_CONSTRAINT_GE: return Test::greater_equal;
    case SQLITE_INDEX_CONSTRAINT_GLOB: return Test::glob;
    case SQLITE_INDEX_CONSTRAINT_LIKE: return Test::like;
    default: return {};
  }
}

bool is_order(Test test) {
  return test == Test::less || test == Test::less_equal || test == Test::greater ||
         test == Test::greater_equal;
}

// Of texts only what does not depend on how they are put in order.
bool suits(Test test, Type type) {
  const bool of_text = test == Test::glob || test == Test::like;
  if (type == Type::text) return of_text || test == Test::equal;
  return type == Type::integer && !of_text;
}

// Compared byte by byte.
bool is_binary(sqlite3_index_info* info, int constraint) {
  const std::string_view collation = sqlite3_vtab_collation(info, constraint);
  return collation == "BINARY";
}

// Then the table's own test is SQLite's.
bool is_whole_number(sqlite3_index_info* info, int constraint) {
  sqlite3_value* value = nullptr;
  return sqlite3_vtab_rhs_value(info, constraint, &value) == SQLITE_OK && value != nullptr &&
         sqlite3_value_type(value) == SQLITE_INTEGER;
}

class Planner {
 public:
  Planner(const Table& table, sqlite3_index_info* info)
      : table_(table), columns_(table.info().columns), info_(info) {}

  int make() {
    for (int i = 0; i < info_->nConstraint; ++i)
      if (!take(i)) return SQLITE_CONSTRAINT;
    const double rows = table_.estimate(equal_, ranges_);
    info_->estimatedRows = static_cast<sqlite3_int64>(rows);
    info_->estimatedCost = rows + 1;
    info_->orderByConsumed = comes_in_order() ? 1 : 0;
    plan_ = fmt::format("{} {}", info_->colUsed, plan_);
    info_->idxStr = sqlite3_mprintf("%s", plan_.c_str());
    info_->needToFreeIdxStr = 1;
    return info_->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
  }

 private:
  // False: no plan, it lacks a parameter.
  bool take(int i) {
    const auto& constraint = info_->aConstraint[i];
    if (constraint.iColumn < 0 || static_cast<std::size_t>(constraint.iColumn) >= columns_.size())
      return true;
    const Column& column = columns_[static_cast<std::size_t>(constraint.iColumn)];
    const bool is_equal = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ;
    if (column.use == Column::Use::parameter) {
      if (is_equal && constraint.usable == 0) return false;
      // A second one is compared with the first.
      const bool is_first = (equal_ >> constraint.iColumn & 1) == 0;
      if (is_equal && is_first) add(i, Test::equal, true);
      return true;
    }
    if (column.use == Column::Use::pushed && constraint.usable != 0) take_pushed(i, column);
    return true;
  }

  void take_pushed(int i, const Column& column) {
    const auto test = test_of(info_->aConstraint[i].op);
    if (!test || !suits(*test, column.type)) return;
    if (column.type == Type::text && !is_binary(info_, i)) return;
    if (*test == Test::equal && sqlite3_vtab_in(info_, i, -1) != 0) {
      sqlite3_vtab_in(info_, i, 1);
      return add(i, Test::any_of, false);
    }
    add(i, *test, column.type == Type::integer && is_whole_number(info_, i));
  }

  void add(int i, Test test, bool omit) {
    const int column = info_->aConstraint[i].iColumn;
    info_->aConstraintUsage[i].argvIndex = ++arguments_;
    info_->aConstraintUsage[i].omit = omit ? 1 : 0;
    plan_ += fmt::format("{} {} ", column, static_cast<int>(test));
    if (column < 64) (is_order(test) ? ranges_ : equal_) |= std::uint64_t{1} << column;
  }

  bool comes_in_order() const {
    return info_->nOrderBy == 1 && table_.order() >= 0 &&
           info_->aOrderBy[0].iColumn == table_.order() && info_->aOrderBy[0].desc == 0;
  }

  const Table& table_;
  const std::vector<Column>& columns_;
  sqlite3_index_info* info_;
  std::string plan_{};
  int arguments_ = 0;
  std::uint64_t equal_ = 0;
  std::uint64_t ranges_ = 0;
};

std::uint64_t next_number(const char*& plan) {
  std::uint64_t number = 0;
  const char* const end = plan + std::char_traits<char>::length(plan);
  plan = std::from_chars(plan, end, number).ptr;
  if (*plan == ' ') ++plan;
  return number;
}

Value kept(sqlite3_value* value, std::deque<std::string>& texts) {
  Value own = value_of(value);
  if (own.type == Type::text) own.text = texts.emplace_back(own.text);
  return own;
}

// Other types are compared by SQLite's rules: it tests such rows itself.
bool is_plain(const Value& value, const Column& column) {
  return value.is_null() || value.type == column.type || column.use == Column::Use::parameter;
}

}  // namespace

int make_plan(const Table& table, sqlite3_index_info* info) { return Planner(table, info).make(); }

Scan scan_of(const TableInfo& table, const char* plan, int count, sqlite3_value** values,
             std::deque<std::string>& texts) {
  Scan scan;
  scan.columns = next_number(plan);
  for (int i = 0; i < count; ++i) {
    Condition condition{.column = static_cast<int>(next_number(plan)),
                        .test = static_cast<Test>(next_number(plan))};
    const Column& column = table.columns[static_cast<std::size_t>(condition.column)];
    if (condition.test == Test::any_of) {
      sqlite3_value* one = nullptr;
      for (int more = sqlite3_vtab_in_first(values[i], &one); more == SQLITE_OK && one != nullptr;
           more = sqlite3_vtab_in_next(values[i], &one))
        if (sqlite3_value_type(one) != SQLITE_NULL) condition.list.push_back(kept(one, texts));
      const auto plain = [&](const Value& value) { return is_plain(value, column); };
      if (!std::ranges::all_of(condition.list, plain)) continue;
    } else {
      condition.value = kept(values[i], texts);
      if (!is_plain(condition.value, column)) continue;
    }
    scan.conditions.push_back(std::move(condition));
  }
  return scan;
}

}  // namespace polytrace::sql
