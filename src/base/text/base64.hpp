// SPDX-License-Identifier: Apache-2.0
// Base64 of RFC 4648, section 4, with padding: how bytes stand in JSON and CSV. Pure functions;
// thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace polytrace::base {

void append_base64(std::string& out, std::string_view octets);

// Writes the octets to `into` and says how many they are; nothing when `text` is not base64.
// `into` may be text's own memory. REQUIRES: room for three quarters of the text.
std::optional<std::size_t> decode_base64(std::string_view text, char* into);

}  // namespace polytrace::base
