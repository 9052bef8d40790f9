// SPDX-License-Identifier: Apache-2.0
// Tables as rows alone: CSV, TSV and lines of JSON.
#include <algorithm>
#include <utility>

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

using Row = std::vector<Cell>;

// Calls show(row) for each, those that come later behind the others.
template <class Show>
void for_each_row(const Table& table, const std::function<bool()>& written, const Show& show) {
  const auto goes_on = [&](const Row& row) {
    show(row);
    return !written || written();
  };
  for (const Row& row : table.rows)
    if (!goes_on(row)) return;
  for (std::uint64_t i = 0; i < table.later.count; ++i)
    if (!goes_on(table.later.make(i))) return;
}

void append_head(std::string& out, const Table& table, const Separation& separation, bool named) {
  if (named) out += std::string("table") + separation.gap;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i != 0) out += separation.gap;
    out += table.columns[i].key;
  }
  out += separation.line_end;
}

void append_separated(std::string& out, const Table& table, const Row& row,
                      const Separation& separation, bool named) {
  if (named) out += table.key + separation.gap;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != 0) out += separation.gap;
    const std::string plain = machine_text(row[i], table.columns[i].unit);
    out += std::holds_alternative<std::string>(row[i]) ? separation.text(plain) : plain;
  }
  out += separation.line_end;
}

void append_json_line(std::string& out, const Table& table, const Row& row) {
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

}  // namespace

bool is_of_rows(TableForm form) {
  return form == TableForm::json_lines || form == TableForm::csv || form == TableForm::tsv;
}

void append_rows(std::string& out, std::span<const Table> tables, TableForm form,
                 const std::function<bool()>& written) {
  const auto is_filled = [](const Table& table) {
    return !table.rows.empty() || table.later.count != 0;
  };
  const bool named = std::ranges::count_if(tables, is_filled) > 1;
  const Separation& separation = form == TableForm::tsv ? kTabs : kCommas;
  bool first = out.empty();
  for (const Table& table : tables) {
    if (!is_filled(table)) continue;
    if (form == TableForm::json_lines) {
      for_each_row(table, written, [&](const Row& row) { append_json_line(out, table, row); });
      continue;
    }
    if (!std::exchange(first, false)) out += separation.line_end;
    append_head(out, table, separation, named);
    for_each_row(table, written,
                 [&](const Row& row) { append_separated(out, table, row, separation, named); });
  }
}

}  // namespace polytrace::cli
