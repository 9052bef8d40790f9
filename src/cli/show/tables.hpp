// SPDX-License-Identifier: Apache-2.0
// The tables of an analysis in every form the command prints.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/table.hpp"
#include "cli/show/cell_text.hpp"

namespace polytrace::cli::show {

enum class TableForm : std::uint8_t { text, json, csv, tsv, markdown };
// "text", "json", "csv", "tsv", "md".
std::optional<TableForm> table_form(std::string_view name);

// Title, columns, rows, what was left out, notes. A table without rows gives nothing. Text: whether
// columns were left out because the terminal is too narrow.
bool append_text(std::string& out, const analysis::Table& table, const Look& look);
void append_markdown(std::string& out, const analysis::Table& table, const Look& look);

// A head line and the rows; with `named` a first column "table" holds the key, so that several
// tables can follow each other in one stream.
enum class Separator : std::uint8_t { comma, tab };
void append_separated(std::string& out, const analysis::Table& table, Separator separator,
                      bool named);

// {"key", "section", "title", "columns": [...], "rows": [{...}], "rows_left_out", "notes"}
void write_json(base::JsonWriter& json, const analysis::Table& table);

}  // namespace polytrace::cli::show
