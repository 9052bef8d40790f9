// SPDX-License-Identifier: Apache-2.0
#include "sql/model/catalogue.hpp"

namespace polytrace::sql {
namespace {

constexpr std::string_view unit_of(std::string_view word) {
  return word == "none" ? std::string_view() : word;
}

}  // namespace

const std::vector<TableInfo>& all_tables() {
  static const std::vector<TableInfo> kAll{
#define COLUMN(type, name, unit, use, meaning) \
  Column{#name, Type::type, unit_of(#unit), meaning, Column::Use::use},
#define TABLE(Id, text, meaning, ...) TableInfo{#text, meaning, {__VA_ARGS__}, false},
#define FUNCTION(Id, text, meaning, ...) TableInfo{#text, meaning, {__VA_ARGS__}, true},
#include "sql/model/tables.def"
#undef FUNCTION
#undef TABLE
#undef COLUMN
  };
  return kAll;
}

const TableInfo& describe(TableId table) { return all_tables()[static_cast<std::size_t>(table)]; }

}  // namespace polytrace::sql
