// SPDX-License-Identifier: Apache-2.0
// Lines up columns of ready text under a thin rule.
#pragma once

#include <string>
#include <vector>

#include "cli/show/terminal.hpp"

namespace polytrace::cli::show {

struct TextColumn {
  std::string title;
  bool right = false;     // numbers
  bool flexible = false;  // clipped when the terminal is too narrow
};

// Cells are printable text. Each row is as long as columns.
struct TextTable {
  std::vector<TextColumn> columns;
  std::vector<std::vector<std::string>> rows;
};

// Appends the table, indented by two. Never wider than the terminal when there is one.
void append_text_table(std::string& out, const TextTable& table, const Terminal& terminal);

}  // namespace polytrace::cli::show
