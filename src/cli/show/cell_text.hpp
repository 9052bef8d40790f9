// SPDX-License-Identifier: Apache-2.0
// One cell of a table as text: for people with units, for programs plain, and as Markdown
// writes texts. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "analysis/table/table.hpp"
#include "base/types.hpp"
#include "cli/show/terminal.hpp"

namespace polytrace::cli {

// Everything about how a result for people shall look.
struct Look {
  Terminal terminal{};
  base::Time start = base::kNoTime;  // times are shown since then; not told = as the clock has them
};
Look look_of(const Terminal& terminal);

// With units and separators, safe for terminals; "-" when not known.
std::string human_text(const analysis::Cell& cell, analysis::Unit unit, const Look& look);
// Plain numbers in ns and bytes, addresses in hexadecimal, text as it is; empty when not known.
std::string machine_text(const analysis::Cell& cell, analysis::Unit unit);
// Numbers are set to the right.
bool is_right_aligned(analysis::Unit unit, const analysis::Cell& sample);

// Of Markdown, for a table cell: pipes and markup are escaped, line breaks become blanks.
std::string markdown_text(std::string_view text);

}  // namespace polytrace::cli
