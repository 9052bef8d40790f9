// SPDX-License-Identifier: Apache-2.0
// How faults read: the sentence with its place and hint.
#pragma once

#include <string>
#include <string_view>

#include "base/notices.hpp"
#include "cli/show/terminal.hpp"

namespace polytrace::cli {

// polytrace: FILE: offset 0x2f1a (buffer 17): sentence: detail
//   hint: what to do
std::string error_text(const base::Error& error, std::string_view file, const Terminal& terminal);

// " (12 times, 3.4 KiB not read)", or nothing for what occurred once and cost nothing.
std::string extent_text(const base::Notice& notice);
// "offset 0x2f1a (buffer 17): sentence: detail (12 times, 3.4 KiB not read)"
std::string notice_text(const base::Notice& notice);

// To standard error, at once and whole.
void print(std::string_view text);
// In the place of the line before, on a terminal. An empty one takes it away.
void print_live(std::string_view line);

}  // namespace polytrace::cli
