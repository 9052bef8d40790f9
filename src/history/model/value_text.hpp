// SPDX-License-Identifier: Apache-2.0
// A double as text, the same in state.json and in CSV. Pure function; thread-safe.
#pragma once

#include <string>

namespace polytrace::history {

// The shortest text that reads back to the same bits, always with a '.' or an exponent: "-17.0",
// "1e+22". "NaN" for any not-a-number, "Infinity", "-Infinity".
void append_double(std::string& out, double number);

}  // namespace polytrace::history
