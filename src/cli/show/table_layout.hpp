// SPDX-License-Identifier: Apache-2.0
// Which columns of a table are shown in the room there is, and how wide each is.
#pragma once

#include <vector>

#include "cli/show/text_table.hpp"

namespace polytrace::cli {

inline constexpr std::size_t kColumnGap = 2;

struct Layout {
  std::vector<std::size_t> columns;  // of the table, those that are shown
  std::vector<std::size_t> widths;   // theirs, in terminal cells
};

// `room` in terminal cells; 0: as much as it takes.
Layout lay_out(const TextTable& table, std::size_t room);

}  // namespace polytrace::cli
