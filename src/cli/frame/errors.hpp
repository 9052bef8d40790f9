// SPDX-License-Identifier: Apache-2.0
// How faults read: the sentence with its place and hint, or a JSON object on one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/notices.hpp"
#include "base/text/json_writer.hpp"
#include "cli/show/terminal.hpp"

namespace polytrace::cli {

// polytrace: FILE: offset 0x2f1a (buffer 17): sentence: detail
//   hint: what to do
std::string error_text(const base::Error& error, std::string_view file,
                       const show::Terminal& terminal);
// {"code", "file", "offset", "message", "hint"} and, where they are known, "frame", "line".
std::string error_json(const base::Error& error, std::string_view file);

// " (12 times, 3.4 KiB not read)", or nothing for what occurred once and cost nothing.
std::string extent_text(const base::Notice& notice);
// "offset 0x2f1a (buffer 17): sentence: detail (12 times, 3.4 KiB not read)"
std::string notice_text(const base::Notice& notice);
void write_notice(base::JsonWriter& json, const base::Notice& notice);
// An array of them.
void write_notices(base::JsonWriter& json, const std::vector<base::Notice>& notices);
// An array of every place that is known: "code", place, "detail".
void write_places(base::JsonWriter& json, const std::vector<base::Notice>& notices);

// To standard error, at once and whole.
void print(std::string_view text);
// In the place of the line before, on a terminal. An empty one takes it away.
void print_live(std::string_view line);

}  // namespace polytrace::cli
