// SPDX-License-Identifier: Apache-2.0
// A row of numbers as a row of bars, one cell each. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::cli {

// `series` is numbers separated by commas; what is no number leaves a gap. From the least to the
// greatest value; `unicode` chooses block characters over .:-=+*%#
std::string sparkline(std::string_view series, bool unicode);

}  // namespace polytrace::cli
