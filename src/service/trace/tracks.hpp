// SPDX-License-Identifier: Apache-2.0
// The rows of a time line: what can be drawn of a trace, and its threads. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/trace/indexed_trace.hpp"

namespace polytrace::service {

struct ThreadFacts {
  std::uint32_t index = 0;
  std::string id{};  // hexadecimal
  std::string name{};
  bool is_main = false;
  std::uint64_t busy = 0;  // ns in calls
  std::uint64_t calls = 0;
  std::optional<std::int64_t> first{};  // offsets, of its events
  std::optional<std::int64_t> last{};
  std::uint32_t rows = 0;  // most calls that were open at once
};

// Numbered by their place in the answer's canonical order: it is the same as long as the trace is
// open.
struct Track {
  std::uint32_t number = 0;
  std::string id{};          // "calls:3"
  std::string_view kind{};   // "calls"
  std::uint32_t thread = 0;  // index
};

struct Tracks {
  std::vector<ThreadFacts> threads{};  // by index
  std::vector<Track> all{};            // by number
  std::vector<std::uint32_t> order{};  // numbers: main thread, then by busy time
};
// Errors: those of frames; limit_exceeded when asked to stop.
base::result<Tracks> find_tracks(const IndexedTrace& trace, const std::atomic<bool>* stop);

}  // namespace polytrace::service
