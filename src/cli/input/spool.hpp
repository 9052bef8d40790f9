// SPDX-License-Identifier: Apache-2.0
// Keeps a stream in a temporary file that has no name, for commands that read their input twice.
#pragma once

#include "base/result.hpp"

namespace polytrace::cli {

// The descriptor of a file (in TMPDIR, else /tmp) with all of standard input; the caller closes it.
base::result<int> spool_standard_input();

}  // namespace polytrace::cli
