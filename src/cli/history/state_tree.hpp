// SPDX-License-Identifier: Apache-2.0
// All states at one time as the tree a person wants to see, or as JSON.
#pragma once

#include <string>
#include <vector>

#include "analysis/table/table.hpp"
#include "cli/show/cell_text.hpp"
#include "history/files/types_file.hpp"
#include "history/history.hpp"

namespace polytrace::cli {

class StateTree {
 public:
  // The states of `keys` at `t`; `notes` has their units. Errors: those of History.
  static base::result<StateTree> take(const history::History& history, history::Tick t,
                                      const std::vector<history::Key>& keys,
                                      history::TypesFile notes);

  const history::Tree& tree() const { return history_.tree(); }
  // What a place of the tree holds; null where nothing was asked for, or nothing is.
  history::Value value(history::Tree::Node node) const;

  // Indented names with their values; what is null or absent is left out, unless `nulls`.
  void append_text(std::string& out, const show::Look& look, bool nulls) const;
  // Row by row.
  analysis::Table table(bool nulls) const;
  // An array of {"path", "key", "type", "value", "unit", "start", "end"}; no unit where it is not
  // told.
  void write(base::JsonWriter& json, bool nulls) const;

 private:
  StateTree(const history::History& history, history::TypesFile notes)
      : history_(history), notes_(std::move(notes)) {}

  bool is_shown(const history::Interval& state, bool nulls) const {
    return nulls || !state.value.is_null();
  }
  std::string value_text(const history::Interval& state, const show::Look& look) const;
  std::string_view unit(history::Key key) const;

  const history::History& history_;
  history::TypesFile notes_;
  std::vector<history::Interval> states_{};  // ascending by key
};

}  // namespace polytrace::cli
