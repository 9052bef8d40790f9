// SPDX-License-Identifier: Apache-2.0
// Tables as rows alone: CSV, TSV and lines of JSON.
#include <algorithm>

#include "base/text/row_text.hpp"
#include "cli/show/tables.hpp"
#include "service/json/parts.hpp"

namespace polytrace::cli {
namespace {

using analysis::Cell;
using analysis::Table;

struct Separation {
  char gap;
  std::string_view line_end;
  std::string (*text)(std::string_view);
};
constexpr Separation kCommas{',', "\r\n", base::csv_text};
constexpr Separation kTabs{'\t', "\n", base::tsv_text};

void append_separated(std::string& out, const Table& table, const Separation& separation,
                      bool named) {
  if (named) out += std::string("table") + separation.gap;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i != 0) out += separation.gap;
    out += table.columns[i].key;
  }
  out += separation.line_end;
  for (const auto& row : table.rows) {
    if (named) out += table.key + separation.gap;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) out += separation.gap;
      const std::string plain = machine_text(row[i], table.columns[i].unit);
      out += std::holds_alternative<std::string>(row[i]) ? separation.text(plain) : plain;
    }
    out += separation.line_end;
  }
}

void append_json_lines(std::string& out, const Table& table) {
  for (const auto& row : table.rows) {
    base::JsonWriter json(out, base::JsonWriter::Form::one_line);
    json.begin_object();
    json.member("table", table.key);
    for (std::size_t i = 0; i < row.size(); ++i) {
      json.key(table.columns[i].key);
      service::write_cell(json, row[i], table.columns[i].unit);
    }
    json.end_object();
    out += '\n';
  }
}

}  // namespace

bool is_of_rows(TableForm form) {
  return form == TableForm::json_lines || form == TableForm::csv || form == TableForm::tsv;
}

void append_rows(std::string& out, std::span<const Table> tables, TableForm form) {
  const auto is_filled = [](const Table& table) { return !table.rows.empty(); };
  const bool named = std::ranges::count_if(tables, is_filled) > 1;
  const Separation& separation = form == TableForm::tsv ? kTabs : kCommas;
  for (const Table& table : tables) {
    if (!is_filled(table)) continue;
    if (form == TableForm::json_lines) {
      append_json_lines(out, table);
      continue;
    }
    if (!out.empty()) out += separation.line_end;
    append_separated(out, table, separation, named);
  }
}

}  // namespace polytrace::cli
