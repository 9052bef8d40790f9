// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/module.hpp"

#include <fmt/format.h>

#include <new>

#include "base/codes.hpp"
#include "sql/sqlite/plan.hpp"

namespace polytrace::sql {
namespace {

struct Module {
  const Table& table;
  Asked& asked;
  std::string declaration;
};

// SQLite sees the first member of each.
struct Connected : sqlite3_vtab {
  const Module* module;
};
struct Opened : sqlite3_vtab_cursor {
  std::deque<std::string> texts;
  Scan scan;
  std::unique_ptr<Cursor> cursor;
  sqlite3_int64 row = 0;
  bool at_end = true;
};

const Module& module_of(sqlite3_vtab* table) { return *static_cast<Connected*>(table)->module; }

// What a table throws is out of memory: nothing else does.
template <class Function>
int guarded(Function function) noexcept {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (...) {
    return SQLITE_ERROR;
  }
}

int failed(sqlite3_vtab* table, const base::Error& error) {
  Asked& asked = module_of(table).asked;
  if (asked.stop) return SQLITE_INTERRUPT;
  asked.fault = error;
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%s", error.detail.c_str());
  return SQLITE_ERROR;
}

int connect(sqlite3* database, void* module, int, const char* const*, sqlite3_vtab** to, char**) {
  return guarded([&] {
    const auto& own = *static_cast<const Module*>(module);
    const int declared = sqlite3_declare_vtab(database, own.declaration.c_str());
    if (declared != SQLITE_OK) return declared;
    sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
    auto* const connected = new Connected{};
    connected->module = &own;
    *to = connected;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Connected*>(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  return guarded([&] { return make_plan(module_of(table).table, info); });
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** to) {
  return guarded([&] {
    *to = new Opened{};
    return SQLITE_OK;
  });
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Opened*>(cursor);
  return SQLITE_OK;
}

int move_on(sqlite3_vtab_cursor* cursor) {
  return guarded([&] {
    auto& opened = *static_cast<Opened*>(cursor);
    const auto more = opened.cursor->next();
    if (!more) return failed(cursor->pVtab, more.error());
    opened.at_end = !*more;
    ++opened.row;
    ++module_of(cursor->pVtab).asked.rows;
    return SQLITE_OK;
  });
}

int filter(sqlite3_vtab_cursor* cursor, int, const char* plan, int count, sqlite3_value** values) {
  return guarded([&] {
    auto& opened = *static_cast<Opened*>(cursor);
    const Module& module = module_of(cursor->pVtab);
    opened.cursor.reset();
    opened.texts.clear();
    opened.scan = scan_of(module.table.info(), plan, count, values, opened.texts);
    opened.scan.stop = &module.asked.stop;
    opened.scan.columns |= 1;  // the row's number
    opened.row = 0;
    auto rows = module.table.open(opened.scan);
    if (!rows) return failed(cursor->pVtab, rows.error());
    opened.cursor = std::move(*rows);
    return move_on(cursor);
  });
}

int is_at_end(sqlite3_vtab_cursor* cursor) { return static_cast<Opened*>(cursor)->at_end ? 1 : 0; }

int give_column(sqlite3_vtab_cursor* cursor, sqlite3_context* to, int column) {
  return guarded([&] {
    const auto& opened = *static_cast<Opened*>(cursor);
    const auto& columns = module_of(cursor->pVtab).table.info().columns;
    if (columns[static_cast<std::size_t>(column)].use == Column::Use::parameter)
      give(to, opened.scan.parameter(column));
    else give(to, opened.cursor->value(column));
    return SQLITE_OK;
  });
}

// A key that the table can look for comes first. It is the row's number, too: SQLite knows by it
// the rows that two scans of one query both give. Tables that look at nothing give all rows each
// time: there counting does.
bool has_key(const TableInfo& info) {
  return !info.is_function && info.columns.front().type == Type::integer &&
         info.columns.front().use == Column::Use::pushed;
}

int give_row(sqlite3_vtab_cursor* cursor, sqlite3_int64* to) {
  return guarded([&] {
    const auto& opened = *static_cast<Opened*>(cursor);
    *to = has_key(module_of(cursor->pVtab).table.info()) ? opened.cursor->value(0).integer
                                                         : opened.row;
    return SQLITE_OK;
  });
}

// Without xCreate a table is there under the name of its module.
const sqlite3_module kModule = [] {
  sqlite3_module module{};
  module.iVersion = 0;
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = move_on;
  module.xEof = is_at_end;
  module.xColumn = give_column;
  module.xRowid = give_row;
  return module;
}();

std::string_view name_of(Type type) {
  if (type == Type::null) return "";
  if (type == Type::integer) return "INTEGER";
  return type == Type::real ? "REAL" : "TEXT";
}

}  // namespace

std::string declaration_of(const TableInfo& table) {
  std::string columns;
  for (const Column& column : table.columns)
    columns += fmt::format("{}\"{}\" {}{}{}{}", columns.empty() ? "" : ", ", column.name,
                           name_of(column.type), column.unit.empty() ? "" : " ", column.unit,
                           column.use == Column::Use::parameter ? " HIDDEN" : "");
  return fmt::format("CREATE TABLE x({})", columns);
}

int add_table(sqlite3* database, const std::string& name, const Table& table, Asked& asked) {
  auto* const module = new Module{table, asked, declaration_of(table.info())};
  return sqlite3_create_module_v2(database, name.c_str(), &kModule, module,
                                  [](void* own) { delete static_cast<Module*>(own); });
}

}  // namespace polytrace::sql
