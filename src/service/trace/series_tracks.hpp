// SPDX-License-Identifier: Apache-2.0
// Which numbers over time a trace has: what its threads did, its heap, counters that change.
#pragma once

#include "service/trace/tracks.hpp"

namespace polytrace::service {

inline constexpr std::size_t kMostCounters = 100;

// Without their numbers. `notes`: gets sentences for counters that are left out. Errors: those of
// frames; limit_exceeded when asked to stop.
base::result<std::vector<Track>> series_tracks(const IndexedTrace& trace,
                                               const std::atomic<bool>* stop,
                                               std::vector<std::string>& notes);

}  // namespace polytrace::service
