// SPDX-License-Identifier: Apache-2.0
// Intervals as a table.
#pragma once

#include <string>

#include "analysis/table/table.hpp"
#include "cli/frame/session.hpp"
#include "cli/show/tables.hpp"
#include "history/history.hpp"

namespace polytrace::cli {

// A value as a cell; null and what has none are not known. Bytes are base64.
analysis::Cell cell_of(const history::Value& value);

// Rows of intervals, each with its path, or "key N" where it has none.
class StateTable {
 public:
  // `limit` 0 is none. With `numbered` the first column is the number of the query.
  StateTable(const history::History& history, std::uint64_t limit, bool numbered);

  void add(const history::Interval& interval, std::uint64_t query);
  analysis::Table take() { return std::move(table_); }

 private:
  const history::History& history_;
  std::uint64_t limit_;
  bool numbered_;
  analysis::Table table_;
};

// --format of tables, and --json for one of its forms.
void add_form(OptionList& list, std::string& form);
show::TableForm form_of(const Session& session, const std::string& form);
// The table of a history in any form but JSON.
void append_states(std::string& out, const analysis::Table& table, show::TableForm form,
                   show::Look look, history::Tick start);

}  // namespace polytrace::cli
