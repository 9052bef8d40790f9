// SPDX-License-Identifier: Apache-2.0
// States of a history as a table, and all states at one time as a tree.
#pragma once

#include <string>
#include <vector>

#include "analysis/table/table.hpp"
#include "base/text/json_writer.hpp"
#include "history/files/types_file.hpp"
#include "history/history.hpp"

namespace polytrace::service {

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
  analysis::Table table_{};
};

// REQUIRES: the history lives as long.
class StateTree {
 public:
  // The states of `keys` at `t`; `notes` has their units. Errors: those of History.
  static base::result<StateTree> take(const history::History& history, history::Tick t,
                                      const std::vector<history::Key>& keys,
                                      history::TypesFile notes);

  // Leaves out the states of threads that have ended; says how many there are of these.
  std::uint64_t leave_out_ended();

  const history::Tree& tree() const { return history_->tree(); }
  // Ascending by key.
  const std::vector<history::Interval>& states() const { return states_; }
  // What a place of the tree holds; null where nothing was asked for, or nothing is.
  history::Value value(history::Tree::Node node) const;
  // Empty where it is not told.
  std::string_view unit(history::Key key) const;

  // Row by row; what is null or absent is left out, unless `nulls`.
  analysis::Table table(bool nulls) const;
  // An array of {"path", "key", "type", "value", "unit", "start", "end"}; no unit where it is not
  // told.
  void write(base::JsonWriter& json, bool nulls) const;

 private:
  StateTree(const history::History& history, history::TypesFile notes)
      : history_(&history), notes_(std::move(notes)) {}

  const history::History* history_;
  history::TypesFile notes_;
  std::vector<history::Interval> states_{};
};

// The threads whose status is among the states: those that live by name, those without one behind,
// by id, then those that have ended. What each was in last, or for whom it waits.
analysis::Table thread_table(const StateTree& states);

// Whether a state is shown.
inline bool is_shown(const history::Interval& state, bool nulls) {
  return nulls || !state.value.is_null();
}

}  // namespace polytrace::service
