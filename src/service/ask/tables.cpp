// SPDX-License-Identifier: Apache-2.0
// What is done with the tables of an answer.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/codes.hpp"
#include "service/ask/report.hpp"
#include "service/json/parts.hpp"
#include "service/words/words.hpp"

namespace polytrace::service {
namespace {

using analysis::Cell;
using analysis::Table;

base::result<void> check_columns(const std::vector<std::string_view>& words,
                                 const std::vector<Table>& tables) {
  std::vector<std::string> known;
  for (const Table& table : tables)
    for (const analysis::ColumnInfo& column : table.columns) known.push_back(column.key);
  for (const std::string_view word : words)
    if (std::ranges::find(known, word) == known.end())
      return base::fail(base::Code::usage, fmt::format("no column \"{}\" in these tables{}", word,
                                                       did_you_mean(word, known)));
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

struct Kept {
  std::string_view table;
  std::size_t rows;
};
constexpr std::array kKept = {
    Kept{"suspects", 10},         Kept{"summary", 30},      Kept{"methods", 10},
    Kept{"sampled_methods", 5},   Kept{"cpu_methods", 5},   Kept{"allocations", 5},
    Kept{"allocation_sites", 5},  Kept{"heap_classes", 5},  Kept{"collection_causes", 3},
    Kept{"collection_pauses", 5}, Kept{"monitor_sites", 5}, Kept{"thrown_classes", 5},
    Kept{"throw_sites", 5},
};

void write_selection(base::JsonWriter& json, const slice::Selection& selection) {
  json.key("selection");
  json.begin_object();
  json.key("from");
  has_from(selection) ? json.value(selection.from) : json.null();
  json.key("to");
  has_to(selection) ? json.value(selection.to) : json.null();
  json.key("threads");
  json.begin_array();
  for (const base::Id id : selection.threads.ids()) json.value(fmt::format("{:#x}", id));
  json.end_array();
  json.member("name", selection.name.text());
  json.member("regex", selection.name.is_pattern());
  json.member("show_helpers", selection.show_helpers);
  json.key("subtract");
  json.begin_array();
  if (selection.pauses) json.value("gc");
  if (selection.subtract_waits) json.value("waits");
  json.end_array();
  json.end_object();
}

void write_cut_off(base::JsonWriter& json, const std::optional<CutOff>& cut_off) {
  if (!cut_off) return;
  json.key("cut_off");
  cut_off->is_cut() ? json.value(cut_off->why) : json.null();
}

void write_empty(base::JsonWriter& json, const std::vector<EmptySection>& sections) {
  json.key("empty_sections");
  json.begin_array();
  for (const EmptySection& one : sections) {
    json.begin_object();
    json.member("section", one.section->key);
    json.member("reason", one.reason);
    json.member("text", one.text);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

base::result<void> choose_columns(std::vector<Table>& tables, const std::string& sort,
                                  std::string_view columns) {
  if (!sort.empty())
    if (auto good = check_columns({sort}, tables); !good) return good;
  if (columns.empty()) return {};
  const auto words = listed(columns);
  if (auto good = check_columns(words, tables); !good) return good;
  for (Table& table : tables) leave_columns(table, words);
  std::erase_if(tables, [](const Table& table) { return table.columns.empty(); });
  return {};
}

std::vector<Table> brief(std::vector<Table> tables) {
  std::vector<Table> kept;
  for (const Kept& wanted : kKept) {
    const auto table = std::ranges::find(tables, wanted.table, &Table::key);
    if (table == tables.end() || table->rows.empty()) continue;
    if (table->rows.size() > wanted.rows) {
      table->rows_left_out += table->rows.size() - wanted.rows;
      table->rows.resize(wanted.rows);
    }
    kept.push_back(std::move(*table));
  }
  return kept;
}

std::string report_json(const TableAnswer& answer) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.report/1");
  write_origin(json, answer.reading.origin);
  if (answer.before) {
    json.key("before");
    json.begin_object();
    write_origin(json, answer.before->origin);
    write_outcome(json, answer.before->passed);
    json.end_object();
  }
  write_cut_off(json, answer.cut_off);
  write_selection(json, answer.selection);
  json.key("start");
  answer.start == base::kNoTime ? json.null() : json.value(answer.start);
  write_tables(json, answer.tables);
  write_empty(json, answer.empty);
  write_outcome(json, answer.reading.passed);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
