// SPDX-License-Identifier: Apache-2.0
// How a recording says what is missing from it.
#pragma once

#include <string_view>

namespace polytrace::event {

// A recording that ended before it was to says so in its last event Recording, of stage end: the
// name is these words and the reason.
inline constexpr std::string_view kCutOff = "cut off: ";
inline constexpr std::string_view kAtLimit = "its limit of ";  // the reason, up to the size

// What a recorder was to record and could not instrument, by name: a Setting for each, whose key is
// one of these and the reason, and whose value is the method (demo.Main.run), or all of a class
// (demo.Main.*).
inline constexpr std::string_view kCallsLeftOut = "left-out.calls: ";
inline constexpr std::string_view kAllocationsLeftOut = "left-out.allocations: ";

// Name of the outermost frame of a stack whose callers beyond a limit were not recorded.
inline constexpr std::string_view kTruncated = "(truncated)";

}  // namespace polytrace::event
