// SPDX-License-Identifier: Apache-2.0
// All states at one time as the tree a person wants to see, or as JSON.
#pragma once

#include <string>
#include <vector>

#include "analysis/table.hpp"
#include "cli/show/cell_text.hpp"
#include "history/history.hpp"

namespace polytrace::cli {

class StateTree {
 public:
  // The states of `keys` at `t`. Errors: those of History.
  static base::result<StateTree> take(const history::History& history, history::Tick t,
                                      const std::vector<history::Key>& keys);

  // Indented names with their values; what is null or absent is left out, unless `nulls`.
  void append_text(std::string& out, const show::Look& look, bool nulls) const;
  // Row by row.
  analysis::Table table(bool nulls) const;
  // An array of {"path", "key", "type", "value", "start", "end"}.
  void write(base::JsonWriter& json, bool nulls) const;

 private:
  explicit StateTree(const history::History& history) : history_(history) {}

  bool is_shown(const history::Interval& state, bool nulls) const {
    return nulls || !state.value.is_null();
  }
  std::string value_text(const history::Value& value, const show::Look& look) const;

  const history::History& history_;
  std::vector<history::Interval> states_{};  // ascending by key
};

}  // namespace polytrace::cli
