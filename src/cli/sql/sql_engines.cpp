// SPDX-License-Identifier: Apache-2.0
#include "cli/sql/sql_engines.hpp"

#include <algorithm>
#include <array>

namespace polytrace::cli {
namespace {

constexpr std::array<std::string_view, 3> kEngines{"auto", "sqlite", "duckdb"};
// Beside what is counted: buffers of answers, names of the trace.
constexpr std::uint64_t kBeside = std::uint64_t{16} << 20;

}  // namespace

std::vector<std::string> sql_engine_words() { return {kEngines.begin(), kEngines.end()}; }

SqlEngine sql_engine(std::string_view word) {
  return static_cast<SqlEngine>(std::ranges::find(kEngines, word) - kEngines.begin());
}

base::result<std::unique_ptr<SqlEngines>> SqlEngines::open(const service::SqlTraces& traces,
                                                           const sql::Limits& limits) {
  auto engines = std::unique_ptr<SqlEngines>(new SqlEngines(traces, limits));
  sql::limit_memory(limits.memory + kBeside);
  auto sqlite = sql::Database::open(traces.traces, limits);
  if (!sqlite) return base::Unexpected(sqlite.error());
  engines->sqlite_ = std::move(*sqlite);
  return engines;
}

base::result<sql::Engine*> SqlEngines::engine(SqlEngine choice) {
  if (choice != SqlEngine::duckdb) return sqlite_.get();
  if (duckdb_ == nullptr) {
    auto opened = sql::DuckDatabase::open(traces_.traces, limits_);
    if (!opened) return base::Unexpected(opened.error());
    duckdb_ = std::move(*opened);
    sql::limit_data(limits_.memory);
  }
  return duckdb_.get();
}

}  // namespace polytrace::cli
