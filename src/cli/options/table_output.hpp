// SPDX-License-Identifier: Apache-2.0
// The options of commands whose answers are tables: which rows and columns, in which form, where
// to. The same words with the same meaning in each of them. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "cli/frame/session.hpp"
#include "cli/show/tables.hpp"

namespace polytrace::cli {

class TableOutput {
  static constexpr std::uint64_t kRows = 20;

 public:
  // Tables have so many rows unless told otherwise; 0 = all.
  explicit TableOutput(std::uint64_t rows = kRows) : rows_(rows), limit_(rows) {}

  void add_to(OptionList& list);

  // Whether the options fit each other, and the folder is new or empty. Errors: usage.
  base::result<void> check(const Session& session) const;
  TableForm form(const Session& session) const;
  analysis::TableOptions options() const { return {sort_, limit_}; }
  // Nobody said how many rows, in which order, or which columns.
  bool is_untouched() const { return sort_.empty() && columns_.empty() && limit_ == rows_; }
  // One row after the other, all of them as they come.
  bool streams_rows(const Session& session) const {
    return is_of_rows(form(session)) && limit_ == 0 && sort_.empty() && columns_.empty() &&
           folder_.empty();
  }
  bool goes_to_folder() const { return !folder_.empty(); }

  // Leaves the columns that were asked for, in that order; tables without any of them go.
  // Errors: usage, where a word is no column of any table.
  base::result<void> apply(std::vector<analysis::Table>& tables) const;
  // A file for each table that has rows, named by its key. REQUIRES: goes_to_folder().
  base::result<void> write(const Session& session,
                           const std::vector<analysis::Table>& tables) const;

 private:
  std::uint64_t rows_;
  std::string sort_;
  std::string columns_;
  std::uint64_t limit_;
  std::string format_ = "text";
  std::string folder_;
};

}  // namespace polytrace::cli
