// SPDX-License-Identifier: Apache-2.0
// A recording that ended before it was to says so in its last event Recording, of stage end: the
// name is these words and the reason.
#pragma once

#include <string_view>

namespace polytrace::event {

inline constexpr std::string_view kCutOff = "cut off: ";

}  // namespace polytrace::event
