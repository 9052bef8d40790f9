// SPDX-License-Identifier: Apache-2.0
// Names for formats of lines: no control characters, no line ends, valid UTF-8. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::exports {

// Characters of `unwelcome` become `instead`, others that a line cannot hold become U+FFFD or a
// blank. Never empty.
std::string line_text(std::string_view name, std::string_view unwelcome = {}, char instead = ':');

}  // namespace polytrace::exports
