// SPDX-License-Identifier: Apache-2.0
// What the header and the index of a history tell about it as a whole
// (docs/formats/state-history.md, "File header").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "history/model/value.hpp"

namespace polytrace::history {

// How history.bin is laid out. The numbers are those of its header.
enum class Layout : std::uint16_t {
  stream = 1,     // records one after the other: for interchange, without an index
  segmented = 2,  // columns in segments, with tables for every query
};

// Ties the files of a bundle together.
using HistoryId = std::array<std::byte, 16>;

struct Facts {
  Layout layout = Layout::segmented;
  std::uint16_t version = 1;  // major
  std::uint16_t minor = 0;
  Tick start = 0;  // first tick
  Tick end = 0;    // last tick; both inclusive
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::optional<std::int64_t> clock_offset{};  // plus a tick in ns = ns since the Unix epoch
  HistoryId id{};
  bool complete = false;        // closed, with its index; false after an interrupted build
  std::uint64_t bytes = 0;      // of history.bin
  std::uint64_t segments = 0;   // 0 in the stream layout
  std::uint64_t changes = 0;    // in all segments
  std::uint64_t intervals = 0;  // null ones included; 0 when the build was interrupted
  std::uint64_t keys = 0;
  std::uint64_t strings = 0;  // entries of the dictionary
};

}  // namespace polytrace::history
