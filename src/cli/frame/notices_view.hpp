// SPDX-License-Identifier: Apache-2.0
// What was damaged or missing, as every command tells it.
#pragma once

#include <string>

#include "service/input/input.hpp"
#include "cli/show/cell_text.hpp"

namespace polytrace::cli {

// One line for the head of an answer that is partial, else nothing.
void append_partial_text(std::string& out, const Passed& passed, const Look& look);
// A loud section, or nothing when there is nothing to tell.
void append_notices_text(std::string& out, const Passed& passed, const Look& look);
void append_notices_markdown(std::string& out, const Passed& passed);

// Members of the result: "file" and "format".
void write_source(base::JsonWriter& json, const Input& input, const format::Format& format,
                  std::string_view version);
// Members of the result: "partial", "bytes_not_read", "notices", "error".
void write_outcome(base::JsonWriter& json, const Passed& passed);

// Each notice and its hint on standard error, for commands whose result has no room for them.
void tell_notices(const Session& session, std::string_view file,
                  const std::vector<base::Notice>& notices);

}  // namespace polytrace::cli
