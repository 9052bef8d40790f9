// SPDX-License-Identifier: Apache-2.0
// Where the rows of a query come from: a statement, or a trace that is being read. One thread at a
// time.
#pragma once

#include <memory>
#include <optional>

#include "capi/trace.hpp"

namespace polytrace::capi {

class Rows {
 public:
  Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  virtual ~Rows() = default;

  virtual const std::vector<sql::AnswerColumn>& columns() const = 0;
  // As sql::Query has it.
  virtual bool bind(std::string_view parameter, const sql::Value& value) = 0;
  // As sql::Query has it. `stop` outlives the run. Rows that are there are given before more are
  // waited for.
  virtual base::result<sql::Turn> turn(sql::Answers& answers, const std::atomic<bool>* stop) = 0;
  virtual void rewind() = 0;
  // Behind the last row: why some of the trace are missing.
  virtual std::optional<base::Error> missing() const { return std::nullopt; }
  // Whether being told to stop is how a run ends.
  virtual bool ends_by_stop() const { return false; }
};

// `moment` is what the statement was made of.
std::unique_ptr<Rows> statement_rows(std::shared_ptr<Moment> moment,
                                     std::unique_ptr<sql::Query> query);
// Events as they are read. Errors: query_wrong for another table than `event`, and for a column
// that it has not; usage for what cannot be chosen without an index.
base::result<std::unique_ptr<Rows>> event_rows(std::shared_ptr<OpenTrace> trace,
                                               std::string_view table, const pt_scan& scan);

}  // namespace polytrace::capi
