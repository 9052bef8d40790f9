// SPDX-License-Identifier: Apache-2.0
// Lines up columns of ready text under a thin rule, whatever the room.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/show/terminal.hpp"

namespace polytrace::cli {

// What becomes of cells that are too wide for the terminal.
enum class Fit : std::uint8_t {
  number,    // shown whole, or its column not at all
  name,      // cut from the left: what tells most stands at the end
  sentence,  // goes on in the next line
};

struct TextColumn {
  std::string title;
  bool right = false;
  Fit fit = Fit::number;
  unsigned rank = 0;  // the column of the highest rank is the first to leave; of 0 it never does
};

// Cells are printable text. Each row is as long as columns.
struct TextTable {
  std::vector<TextColumn> columns;
  std::vector<std::vector<std::string>> rows;
};

// Appends the table, indented by two. Where the terminal is too narrow, columns leave until names
// and sentences have half of it; true then.
bool append_text_table(std::string& out, const TextTable& table, const Terminal& terminal);

}  // namespace polytrace::cli
