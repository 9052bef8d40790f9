// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/binding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::sql {
namespace {

// "INTEGER ns" in its parts.
AnswerColumn column_of(sqlite3_stmt* statement, int i) {
  const char* const name = sqlite3_column_name(statement, i);
  const char* const declared = sqlite3_column_decltype(statement, i);
  AnswerColumn column;
  column.name = name == nullptr ? "" : name;
  std::string_view words = declared == nullptr ? "" : declared;
  for (const std::string_view type : {"INTEGER", "REAL", "TEXT"}) {
    if (!words.starts_with(type)) continue;
    column.type = type;
    words.remove_prefix(type.size());
    if (words.starts_with(' ')) column.unit = words.substr(1);
    break;
  }
  return column;
}

}  // namespace

std::vector<AnswerColumn> columns_of(sqlite3_stmt* statement) {
  std::vector<AnswerColumn> columns;
  for (int i = 0; i < sqlite3_column_count(statement); ++i)
    columns.push_back(column_of(statement, i));
  return columns;
}

void read_row(sqlite3_stmt* statement, std::span<Value> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i] = value_of(sqlite3_column_value(statement, static_cast<int>(i)));
}

int bind_value(sqlite3_stmt* statement, int place, const Value& value) {
  switch (value.type) {
    case Type::null: return sqlite3_bind_null(statement, place);
    case Type::integer: return sqlite3_bind_int64(statement, place, value.integer);
    case Type::real: return sqlite3_bind_double(statement, place, value.real);
    case Type::text: break;
  }
  return sqlite3_bind_text64(statement, place, value.text.data(), value.text.size(),
                             SQLITE_TRANSIENT, SQLITE_UTF8);
}

base::result<void> bind_all(sqlite3_stmt* statement, std::span<const Parameter> parameters) {
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
    const char* const name = sqlite3_bind_parameter_name(statement, i);
    const std::string_view wanted = name == nullptr ? "?" : std::string_view(name).substr(1);
    const auto found = std::ranges::find(parameters, wanted, &Parameter::name);
    if (found == parameters.end())
      return base::fail(base::Code::query_wrong,
                        fmt::format("no value for the parameter {}", name == nullptr ? "?" : name));
    bind_value(statement, i, parameter_value(found->value));
  }
  return {};
}

}  // namespace polytrace::sql
