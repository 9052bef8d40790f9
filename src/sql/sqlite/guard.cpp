// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/guard.hpp"

#include <strings.h>

#include <algorithm>
#include <array>

namespace polytrace::sql {
namespace {

constexpr int kStepsBetweenLooks = 10'000;

struct LimitRow {
  int which;
  int most;
};
constexpr LimitRow kLimits[]{
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},
    {SQLITE_LIMIT_COMPOUND_SELECT, 50},
    {SQLITE_LIMIT_LENGTH, static_cast<int>(kLongestText)},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
    {SQLITE_LIMIT_VDBE_OP, 1'000'000},
};

// SQLite's own functions that queries have; in order. What writes, loads, tells of the machine or
// may make much of little (zeroblob, randomblob) is none of them.
constexpr std::string_view kFunctions[]{"->",
                                        "->>",
                                        "abs",
                                        "acos",
                                        "acosh",
                                        "asin",
                                        "asinh",
                                        "atan",
                                        "atan2",
                                        "atanh",
                                        "avg",
                                        "ceil",
                                        "ceiling",
                                        "char",
                                        "coalesce",
                                        "cos",
                                        "cosh",
                                        "count",
                                        "cume_dist",
                                        "date",
                                        "datetime",
                                        "degrees",
                                        "dense_rank",
                                        "exp",
                                        "first_value",
                                        "floor",
                                        "format",
                                        "glob",
                                        "group_concat",
                                        "hex",
                                        "ifnull",
                                        "iif",
                                        "instr",
                                        "json",
                                        "json_array",
                                        "json_array_length",
                                        "json_each",
                                        "json_extract",
                                        "json_group_array",
                                        "json_group_object",
                                        "json_object",
                                        "json_quote",
                                        "json_tree",
                                        "json_type",
                                        "json_valid",
                                        "julianday",
                                        "lag",
                                        "last_value",
                                        "lead",
                                        "length",
                                        "like",
                                        "likelihood",
                                        "likely",
                                        "ln",
                                        "log",
                                        "log10",
                                        "log2",
                                        "lower",
                                        "ltrim",
                                        "max",
                                        "min",
                                        "mod",
                                        "nth_value",
                                        "ntile",
                                        "nullif",
                                        "percent_rank",
                                        "pi",
                                        "pow",
                                        "power",
                                        "printf",
                                        "quote",
                                        "radians",
                                        "random",
                                        "rank",
                                        "replace",
                                        "round",
                                        "row_number",
                                        "rtrim",
                                        "sign",
                                        "sin",
                                        "sinh",
                                        "sqrt",
                                        "strftime",
                                        "substr",
                                        "substring",
                                        "sum",
                                        "tan",
                                        "tanh",
                                        "time",
                                        "total",
                                        "trim",
                                        "trunc",
                                        "typeof",
                                        "unicode",
                                        "unixepoch",
                                        "unlikely",
                                        "upper"};
static_assert(std::ranges::is_sorted(kFunctions));

constexpr std::string_view kPragmas[]{"table_info", "table_xinfo", "table_list", "function_list"};
// Tables of SQLite's own.
constexpr std::string_view kTables[]{
    "json_each",          "json_tree",          "pragma_function_list", "pragma_table_info",
    "pragma_table_list",  "pragma_table_xinfo", "sqlite_master",        "sqlite_schema",
    "sqlite_temp_master", "sqlite_temp_schema"};

bool is(const char* name, std::string_view word) {
  return name != nullptr && std::string_view(name).size() == word.size() &&
         strncasecmp(name, word.data(), word.size()) == 0;
}

template <class Words>
bool is_one_of(const char* name, const Words& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return is(name, word); });
}

bool is_temporary_definition(int action) {
  switch (action) {
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_TEMP_INDEX: return true;
    default: return false;
  }
}

const char* words_for(int action) {
  switch (action) {
    case SQLITE_ATTACH: return "ATTACH";
    case SQLITE_DETACH: return "DETACH";
    case SQLITE_PRAGMA: return "PRAGMA";
    case SQLITE_FUNCTION: return "the function";
    case SQLITE_READ: return "reading";
    case SQLITE_CREATE_VTABLE: return "CREATE VIRTUAL TABLE";
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_TEMP_TRIGGER: return "CREATE TRIGGER";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT: return "a transaction";
    case SQLITE_ANALYZE: return "ANALYZE";
    case SQLITE_REINDEX: return "REINDEX";
    case SQLITE_ALTER_TABLE: return "ALTER TABLE";
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE: return "writing to";
    default: return "a change of the database:";
  }
}

}  // namespace

void Guard::set_limits(sqlite3* database) {
  for (const LimitRow& limit : kLimits) sqlite3_limit(database, limit.which, limit.most);
  int now = 0;
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, &now);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, &now);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &now);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, &now);
  // A column misspelt within quotes is a fault, not a text.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, &now);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, &now);
}

void Guard::close(sqlite3* database, std::vector<std::string> tables,
                  std::vector<std::string> functions) {
  tables_ = std::move(tables);
  functions_ = std::move(functions);
  sqlite3_set_authorizer(database, authorize, this);
  sqlite3_progress_handler(database, kStepsBetweenLooks, look, this);
}

int Guard::authorize(void* self, int action, const char* one, const char* two, const char* database,
                     const char*) {
  return static_cast<Guard*>(self)->judge(action, one, two, database);
}

int Guard::look(void* self) {
  auto& guard = *static_cast<Guard*>(self);
  if (sqlite3_memory_used() > static_cast<sqlite3_int64>(guard.memory_))
    guard.out_of_memory_ = true;
  return guard.out_of_memory_ || guard.asked_.stop ? 1 : 0;
}

int Guard::refuse(const char* what, const char* name) {
  asked_.refused = what;
  if (name != nullptr && *name != '\0') asked_.refused += std::string(" ") + name;
  return SQLITE_DENY;
}

// Without a column nothing but rows is read: those that count(*) counts, of a table that a query
// made itself.
bool Guard::may_read(const char* table, const char* column, const char* database) const {
  const auto is_none = [](const char* name) { return name == nullptr || *name == '\0'; };
  if (is_none(column) && is_none(database)) return true;
  return is(database, "temp") || is_one_of(table, kTables) || is_one_of(table, tables_);
}

// DDL writes into the schema of what it makes.
bool Guard::may_write(int action, const char* one, const char* database) const {
  if (read_only_) return false;
  if (is_temporary_definition(action)) return true;
  const bool writes = action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_DELETE;
  return (writes && is(database, "temp")) ||
         (action == SQLITE_REINDEX && one != nullptr && is(database, "temp"));
}

int Guard::judge(int action, const char* one, const char* two, const char* database) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_READ:
      return may_read(one, two, database) ? SQLITE_OK : refuse(words_for(action), one);
    case SQLITE_FUNCTION:
      return is_one_of(two, kFunctions) || is_one_of(two, functions_)
                 ? SQLITE_OK
                 : refuse(words_for(action), two);
    case SQLITE_PRAGMA:
      return is_one_of(one, kPragmas) ? SQLITE_OK : refuse(words_for(action), one);
    default: return may_write(action, one, database) ? SQLITE_OK : refuse(words_for(action), one);
  }
}

}  // namespace polytrace::sql
