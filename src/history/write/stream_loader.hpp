// SPDX-License-Identifier: Apache-2.0
// Turns a history in the stream layout into segments (docs/formats/state-history.md, "Stream
// layout"): queries need them.
#pragma once

#include <memory>

#include "history/read/opened.hpp"

namespace polytrace::history {

// The same history, segmented, in a file without a name: in memory up to 64 MiB of records. Keeps
// the notices and adds those of damaged records. Errors: as Builder.
base::result<std::unique_ptr<Opened>> load_stream(std::unique_ptr<Opened> stream,
                                                  const OpenOptions& options);

}  // namespace polytrace::history
