// SPDX-License-Identifier: Apache-2.0
// The engines over opened traces: SQLite, and DuckDB when it is first asked for.
#pragma once

#include <memory>
#include <string_view>

#include "service/sql/sql_traces.hpp"
#include "sql/duck_engine.hpp"
#include "sql/engine.hpp"

namespace polytrace::cli {

enum class SqlEngine : std::uint8_t { automatic, sqlite, duckdb };
std::vector<std::string> sql_engine_words();
// REQUIRES: it is one of them.
SqlEngine sql_engine(std::string_view word);

// One thread at a time.
class SqlEngines {
 public:
  // The traces must outlive it. Errors: as sql::Database::open().
  static base::result<std::unique_ptr<SqlEngines>> open(const service::SqlTraces& traces,
                                                        const sql::Limits& limits);

  // Errors: as sql::DuckDatabase::open().
  base::result<sql::Engine*> engine(SqlEngine choice);
  // What tables and functions there are; those of DuckDB are among them.
  const sql::Database& described() const { return *sqlite_; }

 private:
  SqlEngines(const service::SqlTraces& traces, const sql::Limits& limits)
      : traces_(traces), limits_(limits) {}

  const service::SqlTraces& traces_;
  sql::Limits limits_;
  std::unique_ptr<sql::Database> sqlite_{};
  std::unique_ptr<sql::DuckDatabase> duckdb_{};
};

}  // namespace polytrace::cli
