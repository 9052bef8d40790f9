// SPDX-License-Identifier: Apache-2.0
// tables.def as constants: the numbers of columns, and what each table says of itself.
#pragma once

#include "sql/model/table.hpp"

namespace polytrace::sql {

// ThreadColumns::utid and so on: the numbers of the columns of a table.
#define COLUMN(type, name, ...) name,
#define TABLE(Id, text, meaning, ...) \
  struct Id##Columns {                \
    enum : int { __VA_ARGS__ };       \
  };
#define FUNCTION(...) TABLE(__VA_ARGS__)
#include "sql/model/tables.def"
#undef FUNCTION
#undef TABLE
#undef COLUMN

enum class TableId : std::uint8_t {
#define TABLE(Id, ...) Id,
#define FUNCTION(...) TABLE(__VA_ARGS__)
#include "sql/model/tables.def"
#undef FUNCTION
#undef TABLE
};

const TableInfo& describe(TableId table);
// In the order of tables.def.
const std::vector<TableInfo>& all_tables();

}  // namespace polytrace::sql
