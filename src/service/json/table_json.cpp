// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <type_traits>

#include "service/json/parts.hpp"

namespace polytrace::service {

void write_cell(base::JsonWriter& json, const analysis::Cell& cell, analysis::Unit unit) {
  std::visit(
      [&](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          json.null();
        } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
          if (unit == analysis::Unit::address) json.value(fmt::format("{:#x}", value));
          else json.value(value);
        } else {
          json.value(value);
        }
      },
      cell);
}

void write_table(base::JsonWriter& json, const analysis::Table& table) {
  constexpr std::array<std::string_view, 7> kUnits{"none", "count",   "bytes",  "nanoseconds",
                                                   "time", "percent", "address"};
  json.begin_object();
  json.member("key", table.key);
  json.member("section", table.section);
  json.member("title", table.title);
  json.key("columns");
  json.begin_array();
  for (const analysis::ColumnInfo& column : table.columns) {
    json.begin_object();
    json.member("key", column.key);
    json.member("title", column.title);
    json.member("unit", kUnits[static_cast<std::size_t>(column.unit)]);
    json.end_object();
  }
  json.end_array();
  json.key("rows");
  json.begin_array();
  for (const auto& row : table.rows) {
    json.begin_object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      json.key(table.columns[i].key);
      write_cell(json, row[i], table.columns[i].unit);
    }
    json.end_object();
  }
  json.end_array();
  json.member("rows_left_out", table.rows_left_out);
  json.key("notes");
  json.begin_array();
  for (const std::string& note : table.notes) json.value(note);
  json.end_array();
  json.end_object();
}

void write_tables(base::JsonWriter& json, const std::vector<analysis::Table>& tables) {
  json.key("tables");
  json.begin_array();
  for (const analysis::Table& table : tables) write_table(json, table);
  json.end_array();
}

}  // namespace polytrace::service
