// SPDX-License-Identifier: Apache-2.0
// Text of the runtime, which is UTF-16, as the UTF-8 of events.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::agent::coreclr {

// What is no character (half a pair) becomes U+FFFD.
std::string utf8(std::u16string_view text);

}  // namespace polytrace::agent::coreclr
