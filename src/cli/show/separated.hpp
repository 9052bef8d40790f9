// SPDX-License-Identifier: Apache-2.0
// Cells of the text forms that programs read: CSV (RFC 4180), TSV and Markdown. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::cli {

// Quoted where needed. A text that a spreadsheet would take for a formula (it starts with = + - @,
// a tab or a line break) gets a ' in front. Not for numbers.
std::string csv_text(std::string_view text);
// The same guard; tabs, line breaks and backslashes become \t, \n, \r, \\.
std::string tsv_text(std::string_view text);
// For a table cell: pipes and markup are escaped, line breaks become blanks.
std::string markdown_text(std::string_view text);

}  // namespace polytrace::cli
