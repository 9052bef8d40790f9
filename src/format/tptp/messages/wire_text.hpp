// SPDX-License-Identifier: Apache-2.0
// Texts as a message can hold them: well-formed UTF-8 without zeros, of a bounded length.
// Characters that XML alone cannot hold are the XML writer's. A pure function; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "format/tptp/messages/catalogue.hpp"

namespace polytrace::format::tptp {

// Longer texts are cut: six of them, escaped, are still an XML element that every reader takes.
inline constexpr std::size_t kMostTextBytes = 256 * 1024;

// False, and then the nearest such text in `made`, when `text` cannot be held as it is.
bool is_wire_text(std::string_view text, Meaning meaning, std::string& made);

}  // namespace polytrace::format::tptp
