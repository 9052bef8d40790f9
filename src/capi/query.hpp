// SPDX-License-Identifier: Apache-2.0
// What is asked for rows and its runs, part by part. Any thread; parts come one at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capi/batch.hpp"
#include "capi/rows.hpp"

namespace polytrace::capi {

inline constexpr std::size_t kMostRows = 65'536;  // of a part

// What a run gives at once.
struct Part {
  std::shared_ptr<const Batch> batch{};  // null: no rows, the run has ended
  bool stopped = false;                  // by pt_stop(); the run has ended
  bool cut = false;                      // max_rows was reached; the run has ended
  // Of the trace, behind the last rows: why some are not there.
  std::optional<base::Error> missing{};

  bool goes_on() const { return batch != nullptr && !cut; }
};

class OpenQuery {
 public:
  OpenQuery(std::shared_ptr<OpenTrace> trace, std::unique_ptr<Rows> rows, std::uint64_t max_rows)
      : trace_(std::move(trace)), rows_(std::move(rows)), max_rows_(max_rows) {}
  OpenQuery(const OpenQuery&) = delete;
  OpenQuery& operator=(const OpenQuery&) = delete;
  ~OpenQuery();

  const std::vector<sql::AnswerColumn>& columns() const { return rows_->columns(); }
  // Who reads a run: columns or a stream. False: the other is at it.
  enum class Reader : std::uint8_t { none, columns, stream };
  bool take(Reader reader);
  // Errors: as sql::Query::turn(), and of cells that do not fit their column; the run has ended.
  base::result<Part> next(std::size_t most);
  void end_run();
  // That errors of a run are about; empty: the question itself.
  std::string file() const { return trace_->is_stream() ? trace_->options().file : std::string(); }
  // Of the columns, in the run that is under way or was the last.
  std::vector<CellType> types();
  // False: there is no such parameter, or a run is under way.
  bool bind(const char* name, const sql::Value& value);

 private:
  base::result<Part> next_locked(std::size_t most);
  base::result<void> settle(Batch& batch);
  void end_run_locked();

  std::shared_ptr<OpenTrace> trace_;
  std::unique_ptr<Rows> rows_;
  std::uint64_t max_rows_;
  Reader reader_ = Reader::none;
  // Of the run; all of it guarded by the trace's turn.
  Stops::Flag stop_{};
  bool done_ = false;
  std::uint64_t given_ = 0;
  std::vector<CellType> types_{};
};

// The first statement of the text. Null: there is none. Errors are told; else PT_OK.
pt_status make_query(pt_trace& trace, std::string_view sql, const pt_query_options& options,
                     std::shared_ptr<OpenQuery>& query, std::size_t& used, pt_error** error);
// As C gets it.
pt_query* query_of_c(std::shared_ptr<OpenQuery> query);
// A run of it in batches of at most so many rows.
pt_status open_stream(const std::shared_ptr<OpenQuery>& query, std::size_t most,
                      ArrowArrayStream* out, pt_error** error);
// What is there of a table, as a query.
pt_status make_table_query(pt_trace& trace, const char* table, const pt_scan& scan,
                           std::shared_ptr<OpenQuery>& query, pt_error** error);

}  // namespace polytrace::capi

struct pt_query {
  std::shared_ptr<polytrace::capi::OpenQuery> open;
  // What pt_query_columns() gave last.
  std::shared_ptr<const polytrace::capi::Batch> batch{};
  std::vector<pt_column> views{};
  std::vector<pt_column> described{};  // without values
};
