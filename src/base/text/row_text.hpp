// SPDX-License-Identifier: Apache-2.0
// Texts as cells of files that have a row in each line. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::base {

// Of CSV (RFC 4180): quoted where needed. A text that a spreadsheet would take for a formula (it
// starts with = + - @, a tab or a line break) gets a ' in front. Not for numbers.
std::string csv_text(std::string_view text);
// Of TSV: the same guard; tabs, line breaks and backslashes become \t, \n, \r, \\.
std::string tsv_text(std::string_view text);

}  // namespace polytrace::base
