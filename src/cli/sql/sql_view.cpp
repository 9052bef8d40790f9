// SPDX-License-Identifier: Apache-2.0
#include "cli/sql/sql_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/row_text.hpp"
#include "cli/show/text_room.hpp"
#include "cli/show/text_table.hpp"

namespace polytrace::cli {
namespace {

constexpr std::array<std::string_view, 8> kWords{"table", "csv", "tsv",   "json",
                                                 "jsonl", "md",  "arrow", "parquet"};

std::string plain_text(const sql::Value& value) {
  switch (value.type) {
    case sql::Type::null: return {};
    case sql::Type::integer: return fmt::format("{}", value.integer);
    case sql::Type::real: return fmt::format("{}", value.real);
    case sql::Type::text: return std::string(value.text);
  }
  return {};
}

std::string people_text(const sql::Value& value) {
  if (value.is_null()) return "-";
  if (value.type == sql::Type::real) return fmt::format("{:.6g}", value.real);
  return printable(plain_text(value));
}

}  // namespace

std::vector<std::string> sql_form_words() { return {kWords.begin(), kWords.end()}; }

SqlForm sql_form(std::string_view word) {
  return static_cast<SqlForm>(std::ranges::find(kWords, word) - kWords.begin());
}

SqlView::SqlView(std::string& out, const service::SqlTraces& traces, SqlLook look)
    : out_(out), traces_(traces), look_(std::move(look)) {}

base::result<void> SqlView::begin(const std::vector<sql::AnswerColumn>& columns) {
  const bool is_table = look_.form == SqlForm::table;
  if (any_ && !is_table && look_.form != SqlForm::jsonl)
    return base::fail(base::Code::query_wrong,
                      "a second answer; --format table and jsonl show more than one");
  if (open_) end_table();
  if (any_ && is_table) out_ += '\n';
  any_ = open_ = true;
  columns_ = columns;
  rows_ = left_out_ = 0;
  append_head();
  return {};
}

void SqlView::append_head() {
  shown_.clear();
  numbers_.assign(columns_.size(), true);
  if (look_.form == SqlForm::json) json_.emplace(out_).begin(traces_, columns_);
  if (look_.form == SqlForm::csv || look_.form == SqlForm::tsv) {
    const bool commas = look_.form == SqlForm::csv;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i != 0) out_ += commas ? ',' : '\t';
      out_ += commas ? base::csv_text(columns_[i].name) : base::tsv_text(columns_[i].name);
    }
    out_ += commas ? "\r\n" : "\n";
  }
  if (look_.form != SqlForm::md) return;
  std::string rule = "|";
  out_ += '|';
  for (const sql::AnswerColumn& column : columns_) {
    out_ += fmt::format(" {} |", markdown_text(column.name));
    rule += "--|";
  }
  out_ += '\n' + rule + '\n';
}

bool SqlView::row(std::span<const sql::Value> cells) {
  ++rows_;
  ++all_rows_;
  if (look_.limit != 0 && rows_ > look_.limit) {
    ++left_out_;
    // People are told that there are more, programs how many.
    return look_.form != SqlForm::table;
  }
  append_row(cells);
  return !look_.drain || look_.drain();
}

void SqlView::append_row(std::span<const sql::Value> cells) {
  switch (look_.form) {
    case SqlForm::json: return json_->row(cells);
    case SqlForm::jsonl: return service::append_json_line(out_, columns_, cells);
    case SqlForm::table: {
      std::vector<std::string>& shown = shown_.emplace_back();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        shown.push_back(people_text(cells[i]));
        if (cells[i].type == sql::Type::text) numbers_[i] = false;
      }
      return;
    }
    case SqlForm::md: {
      out_ += '|';
      for (const sql::Value& cell : cells)
        out_ += fmt::format(" {} |", markdown_text(plain_text(cell)));
      out_ += '\n';
      return;
    }
    default: break;  // csv and tsv
  }
  const bool commas = look_.form == SqlForm::csv;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i != 0) out_ += commas ? ',' : '\t';
    const std::string text = plain_text(cells[i]);
    const bool is_text = cells[i].type == sql::Type::text;
    out_ += !is_text ? text : commas ? base::csv_text(text) : base::tsv_text(text);
  }
  out_ += commas ? "\r\n" : "\n";
}

void SqlView::end_table() {
  open_ = false;
  if (look_.form != SqlForm::table) return;
  TextTable table;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    table.columns.push_back({.title = printable(columns_[i].name),
                             .right = numbers_[i] && !shown_.empty(),
                             .fit = numbers_[i] ? Fit::number : Fit::name,
                             .rank = 0});
  table.rows = std::move(shown_);
  const bool is_empty = table.rows.empty();
  append_text_table(out_, table, look_.look.terminal);
  if (is_empty) out_ += "  no rows\n";
  if (left_out_ != 0)
    out_ +=
        fmt::format("  more than {} rows: --limit 0 shows all\n", base::count_text(look_.limit));
}

void SqlView::end(bool interrupted) {
  if (open_) end_table();
  if (json_) json_->end(traces_, left_out_, interrupted);
  if (json_) out_ += '\n';
  if (look_.form == SqlForm::md && left_out_ != 0)
    out_ += fmt::format("\n{} rows were left out.\n", left_out_);
}

}  // namespace polytrace::cli
