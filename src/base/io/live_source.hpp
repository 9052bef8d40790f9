// SPDX-License-Identifier: Apache-2.0
// What is read while it comes: who waits for more of a pipe can be told to stop.
#pragma once

#include "base/io/source.hpp"

namespace polytrace::base {

// As open_source(); besides, a read that waits for a pipe, also for one that nobody writes to yet,
// gives the end once *stop is true. `stop` outlives the source; null: it waits on.
result<std::unique_ptr<Source>> open_live_source(const std::string& path,
                                                 const SourceOptions& options,
                                                 const std::atomic<bool>* stop);

}  // namespace polytrace::base
