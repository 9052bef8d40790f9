// SPDX-License-Identifier: Apache-2.0
// The names of a trace's threads for a shell that completes --thread: at once, or not at all.
#pragma once

#include <string>
#include <vector>

namespace polytrace::cli {

// Each name once, in order of the trace. Reads some millions of events at most, which takes a
// fraction of a second; what is named later is left out. Empty where the file cannot be read. Names
// that cannot be typed (control characters) are left out, too.
std::vector<std::string> quick_thread_names(const std::string& file);

}  // namespace polytrace::cli
