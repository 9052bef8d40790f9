// SPDX-License-Identifier: Apache-2.0
#include "cli/options/table_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/io/sink.hpp"
#include "service/words/words.hpp"

namespace polytrace::cli {
namespace {

using analysis::Cell;
using analysis::Table;
using TableForm;

base::result<void> check_columns(const std::vector<std::string_view>& words,
                                 const std::vector<Table>& tables) {
  std::vector<std::string> known;
  for (const Table& table : tables)
    for (const analysis::ColumnInfo& column : table.columns) known.push_back(column.key);
  for (const std::string_view word : words)
    if (std::ranges::find(known, word) == known.end())
      return base::fail(base::Code::usage, fmt::format("no column \"{}\" in these tables{}", word,
                                                       service::did_you_mean(word, known)));
  return {};
}

// A tree's depth stays with it: its rows say nothing without.
void leave_columns(Table& table, const std::vector<std::string_view>& words) {
  std::vector<std::size_t> kept;
  int depth_column = -1;
  const auto keep = [&](std::size_t column) {
    if (table.depth_column == static_cast<int>(column))
      depth_column = static_cast<int>(kept.size());
    kept.push_back(column);
  };
  for (const std::string_view word : words) {
    const auto column = std::ranges::find(table.columns, word, &analysis::ColumnInfo::key);
    if (column != table.columns.end())
      keep(static_cast<std::size_t>(column - table.columns.begin()));
  }
  if (!kept.empty() && table.depth_column >= 0 && depth_column < 0)
    keep(static_cast<std::size_t>(table.depth_column));
  table.depth_column = depth_column;
  std::vector<analysis::ColumnInfo> columns;
  for (const std::size_t i : kept) columns.push_back(table.columns[i]);
  table.columns = std::move(columns);
  for (auto& row : table.rows) {
    std::vector<Cell> cells;
    for (const std::size_t i : kept) cells.push_back(row[i]);
    row = std::move(cells);
  }
}

base::result<void> write_file(const std::string& path, std::string_view text) {
  auto sink = base::create_sink(path, false);
  if (!sink) return base::Unexpected(sink.error());
  if (auto done = (*sink)->write(std::as_bytes(std::span(text))); !done) return done;
  return (*sink)->commit();
}

}  // namespace

void TableOutput::add_to(OptionList& list) {
  const char* group = "Output";
  list.add("--sort", sort_, "Sort tables that have this column by it (its name as in CSV)")
      .takes("COLUMN")
      .in(group);
  list.add("--columns", columns_,
           "Only these columns, in this order (their names as in CSV); tables without any of them "
           "are left out")
      .takes("COLUMN[,COLUMN...]")
      .in(group);
  list.add("--limit", limit_, "Rows per table, 0 = all").takes("COUNT").shows_default().in(group);
  list.add("--format", format_,
           "The form of the result; --json means --format json, jsonl is one row a line")
      .one_of(table_form_words())
      .takes("FORM")
      .shows_default()
      .in(group);
  list.add("-o,--output", folder_,
           "With csv, tsv or jsonl: one file per table, in this folder, which must be new or empty")
      .takes("DIR")
      .in(group);
}

TableForm TableOutput::form(const Session& session) const {
  return session.common.json ? TableForm::json : table_form(format_);
}

base::result<void> TableOutput::check(const Session& session) const {
  if (!goes_to_folder()) return {};
  if (!is_of_rows(form(session)))
    return base::fail(base::Code::usage,
                      "--output takes one file per table: say --format csv, tsv or jsonl, too");
  std::error_code fault;
  if (std::filesystem::exists(folder_, fault) && !std::filesystem::is_empty(folder_, fault))
    return base::fail(base::Code::usage,
                      fmt::format("--output: {} is there and no empty folder", folder_));
  return {};
}

base::result<void> TableOutput::apply(std::vector<Table>& tables) const {
  if (!sort_.empty())
    if (auto good = check_columns({sort_}, tables); !good) return good;
  if (columns_.empty()) return {};
  const auto words = service::listed(columns_);
  if (auto good = check_columns(words, tables); !good) return good;
  for (Table& table : tables) leave_columns(table, words);
  std::erase_if(tables, [](const Table& table) { return table.columns.empty(); });
  return {};
}

base::result<void> TableOutput::write(const Session& session,
                                      const std::vector<Table>& tables) const {
  std::error_code fault;
  std::filesystem::create_directories(folder_, fault);
  const TableForm chosen = form(session);
  std::size_t files = 0;
  for (const Table& table : tables) {
    if (table.rows.empty()) continue;
    std::string text;
    append_rows(text, std::span(&table, 1), chosen);
    const std::string path = fmt::format("{}/{}.{}", folder_, table.key, word_of(chosen));
    if (auto done = write_file(path, text); !done) return done;
    ++files;
  }
  session.remark(fmt::format("{}: {} files, one per table", folder_, files));
  return {};
}

}  // namespace polytrace::cli
