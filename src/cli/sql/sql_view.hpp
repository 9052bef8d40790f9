// SPDX-License-Identifier: Apache-2.0
// How answers of SQL look: a table for people, rows for programs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/show/cell_text.hpp"
#include "service/sql/sql_traces.hpp"

namespace polytrace::cli {

enum class SqlForm : std::uint8_t { table, csv, tsv, json, jsonl, md, arrow, parquet };
std::vector<std::string> sql_form_words();
// REQUIRES: it is one of them.
SqlForm sql_form(std::string_view word);
// Of bytes, for programs alone: no view shows it.
inline bool is_file_form(SqlForm form) {
  return form == SqlForm::arrow || form == SqlForm::parquet;
}

struct SqlLook {
  SqlForm form = SqlForm::table;
  std::uint64_t limit = 0;  // rows of an answer; 0: all
  Look look{};
  // Takes what gathers; false: writing failed.
  std::function<bool()> drain{};
};

// What statements answer, appended to a text. Forms of rows have one answer, but jsonl, whose
// rows say themselves what they are.
class SqlView final : public sql::Answers {
 public:
  // `out` and `traces` must outlive it.
  SqlView(std::string& out, const service::SqlTraces& traces, SqlLook look);

  base::result<void> begin(const std::vector<sql::AnswerColumn>& columns) override;
  bool row(std::span<const sql::Value> cells) override;
  // Behind the last statement.
  void end(bool interrupted);
  std::uint64_t rows() const { return all_rows_; }

 private:
  void append_head();
  void append_row(std::span<const sql::Value> cells);
  void end_table();

  std::string& out_;
  const service::SqlTraces& traces_;
  SqlLook look_;
  std::optional<service::SqlJson> json_{};
  std::vector<sql::AnswerColumn> columns_{};
  std::vector<std::vector<std::string>> shown_{};  // of a table for people
  std::vector<bool> numbers_{};                    // columns of which all cells are
  bool open_ = false;
  bool any_ = false;
  std::uint64_t rows_ = 0;      // of this answer
  std::uint64_t left_out_ = 0;  // of them
  std::uint64_t all_rows_ = 0;
};

}  // namespace polytrace::cli
