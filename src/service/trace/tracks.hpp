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

// What a track of numbers over time tells.
struct SeriesOf {
  // Of what threads did; null: of values.
  std::uint64_t store::ActivityPoint::* measure = nullptr;
  store::ValueSource source = store::ValueSource::heap_used;
  std::uint64_t counter = 0;  // index
  double scale = 1;           // from the unit of its rows to this one:
  std::string_view unit{};    // "count", "bytes", "ns", "percent"
};

// Numbered by their place in the answer's canonical order: it is the same as long as the trace is
// open.
struct Track {
  std::uint32_t number = 0;
  std::string id{};                       // "calls:3", "pauses"
  std::string_view kind{};                // "calls"
  std::optional<std::uint32_t> thread{};  // index; absent: everybody's
  std::string name{};
  std::uint32_t rows = 1;
  std::uint64_t items = 0;
  std::optional<std::int64_t> first{};  // offsets
  std::optional<std::int64_t> last{};
  store::Family family = store::Family::calls;
  std::optional<SeriesOf> series{};  // of one that has no items
};

struct Tracks {
  std::vector<ThreadFacts> threads{};  // by index
  std::vector<Track> all{};            // by number
  // Numbers: everybody's, then threads (the main one, then by busy time), then series.
  std::vector<std::uint32_t> order{};
  std::vector<std::string> notes{};  // of tracks that are left out
};
// Reads all rows of what is no call once. Errors: those of frames; limit_exceeded when asked to
// stop.
base::result<Tracks> find_tracks(const IndexedTrace& trace, const std::atomic<bool>* stop);

}  // namespace polytrace::service
