// SPDX-License-Identifier: Apache-2.0
// Traces opened for SQL: their indexes, made where there are none, and a database over them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text/json_writer.hpp"
#include "service/index/ready_index.hpp"
#include "sql/engine.hpp"

namespace polytrace::service {

struct SqlTraces {
  std::vector<std::shared_ptr<const sql::Trace>> traces{};
  std::vector<Reading> readings{};      // of each
  std::vector<base::Notice> remarks{};  // of indexes: why one was made anew, or is not kept
  bool interrupted = false;             // then not all of them are there

  // Whether something of a trace is missing.
  bool is_partial() const;
};
// In their order. Refusals: as ready_index().
Asked<SqlTraces> open_for_sql(std::span<const InputOptions> inputs, const Asking& asking);

// An answer as one document: {"schema": "polytrace.sql/1", "files", "columns", "rows",
// "rows_left_out", "partial", "interrupted", "notices"}. Rows are added as they come, so a long one
// can be written in pieces.
class SqlJson {
 public:
  // Appends to `out`, which must outlive it.
  explicit SqlJson(std::string& out) : json_(out) {}

  void begin(const SqlTraces& traces, std::span<const sql::AnswerColumn> columns);
  void row(std::span<const sql::Value> cells);
  // No number: there are more rows, which nobody counted.
  void end(const SqlTraces& traces, std::optional<std::uint64_t> rows_left_out, bool interrupted);

 private:
  base::JsonWriter json_;
};
// One row as an object in a line.
void append_json_line(std::string& out, std::span<const sql::AnswerColumn> columns,
                      std::span<const sql::Value> cells);

}  // namespace polytrace::service
