// SPDX-License-Identifier: Apache-2.0
// The tables of an analysis in every form the command prints.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/table/table.hpp"
#include "cli/show/cell_text.hpp"

namespace polytrace::cli {

enum class TableForm : std::uint8_t { text, json, json_lines, csv, tsv, markdown };
// "text", "json", "jsonl", "csv", "md", "tsv".
std::vector<std::string> table_form_words();
// REQUIRES: it is one of them.
TableForm table_form(std::string_view word);
// Of rows alone, one a line, for programs: json_lines, csv, tsv. The word is their files' ending.
bool is_of_rows(TableForm form);
std::string_view word_of(TableForm form);

// Title, columns, rows, what was left out, notes. A table without rows gives nothing. Text: whether
// columns were left out because the terminal is too narrow.
bool append_text(std::string& out, const analysis::Table& table, const Look& look);
void append_markdown(std::string& out, const analysis::Table& table, const Look& look);

// In a form of rows, one table behind the other; those without rows give nothing. CSV and TSV: a
// head line and the rows of each; where there are several, an empty line between them and a first
// column "table" with the key, which lines of JSON always have. `written` is called after each row:
// it may empty `out`, and says whether to go on. (Rows that come later are shown here only.)
void append_rows(std::string& out, std::span<const analysis::Table> tables, TableForm form,
                 const std::function<bool()>& written = {});

}  // namespace polytrace::cli
