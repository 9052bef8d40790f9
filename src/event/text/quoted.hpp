// SPDX-License-Identifier: Apache-2.0
// Any bytes as a quoted text in one line, and back. Well-formed UTF-8 stays as it is; the quote,
// the backslash, control characters and bytes that are not UTF-8 become \" \\ \n \t \xHH.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace polytrace::event {

void append_quoted(std::string& out, std::string_view text);

// Takes a quoted text off the front of `from` and gives its bytes. Nothing when there is none:
// `from` then starts at the fault.
std::optional<std::string> take_quoted(std::string_view& from);

}  // namespace polytrace::event
