// SPDX-License-Identifier: Apache-2.0
// One struct for each table of the store (tables.def), its members are the table's columns.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "warehouse/column_types.hpp"

namespace polytrace::warehouse {

#define TABLE(Row, table) \
  struct Row {            \
    static constexpr std::string_view kTable = #table;
#define COLUMN(Type, name) Type name{};
#define END_TABLE(Row)                         \
  bool operator==(const Row&) const = default; \
  }                                            \
  ;
#include "warehouse/tables.def"
#undef TABLE
#undef COLUMN
#undef END_TABLE

// visit_columns(row, visitor): visitor(name, type, value) for each column in order, `type` as
// tables.def spells it.
#define TABLE(Row, table)                                    \
  template <class Visited, class Visitor>                    \
    requires std::same_as<std::remove_const_t<Visited>, Row> \
  void visit_columns(Visited& row, Visitor&& visitor) {
#define COLUMN(Type, name) visitor(std::string_view(#name), std::string_view(#Type), row.name);
#define END_TABLE(Row) }
#include "warehouse/tables.def"
#undef TABLE
#undef COLUMN
#undef END_TABLE

// visit_tables(visitor): visitor(row) with an empty row of each table.
template <class Visitor>
void visit_tables(Visitor&& visitor) {
#define TABLE(Row, table) visitor(Row{});
#define COLUMN(Type, name)
#define END_TABLE(Row)
#include "warehouse/tables.def"
#undef TABLE
#undef COLUMN
#undef END_TABLE
}

// "series, service, grp": what an INSERT names.
template <class Row>
const std::string& column_names() {
  static const std::string kNames = [] {
    std::string names;
    const Row row;
    visit_columns(row, [&](std::string_view name, std::string_view, const auto&) {
      if (!names.empty()) names += ", ";
      names += name;
    });
    return names;
  }();
  return kNames;
}

}  // namespace polytrace::warehouse
