// SPDX-License-Identifier: Apache-2.0
// What `report` shows where nobody says what: one screen or two of the tables that matter most.
#pragma once

#include <string>
#include <vector>

#include "analysis/table/table.hpp"
#include "cli/show/cell_text.hpp"

namespace polytrace::cli {

// Keeps the tables that matter, each with its first rows. What a table has more of is said in its
// rows_left_out.
std::vector<analysis::Table> brief(std::vector<analysis::Table> tables);

// The commands that show more, to be pasted: by suspect, and for all the rest.
void append_next_steps(std::string& out, const std::vector<analysis::Table>& tables,
                       const std::string& file, const Look& look);

}  // namespace polytrace::cli
