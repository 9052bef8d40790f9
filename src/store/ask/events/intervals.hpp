// SPDX-License-Identifier: Apache-2.0
// What lasted a while and is no call: collections, pauses, waits, compilations and such, each from
// the event that begins it to the one that ends it. Rows are paired by the rules of slice/spans, so
// these are those of reports.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "slice/pauses.hpp"
#include "store/ask/events/row_scan.hpp"

namespace polytrace::store {

struct Interval {
  enum class How : std::uint8_t {
    ended,
    failed,  // ended without what it was for: a lock, code
    cut,     // its end was not told: what was around it ended, or the next of its thread began
    open,    // its end was not told: it lasts to its thread's last event
  };

  base::Time start;
  base::Time end;         // never before start
  std::uint32_t thread;   // index; of pauses kNoIndex: they are everybody's
  std::uint32_t depth;    // how many of its kind are around it in its thread
  std::uint64_t subject;  // as slice::SpanKind says; of methods and classes the index; ~0: not told
  std::uint64_t row;      // that begins it, among those of its kind; of pauses ~0
  How how;
  std::uint64_t collection;            // number of a collection; 0: none
  std::optional<std::uint64_t> pause;  // ns: of a collection, the stops that were made for it
  std::span<const u64> begun;  // what was asked for, of the row that begins it; of pauses empty
  std::span<const u64> ended;  // of the row that ends it; empty: none did, or a collection
};
using IntervalVisitor = std::function<void(const Interval&)>;

// The kind of the rows that tell of a span.
event::Kind rows_of(slice::SpanKind kind);

// Those of a kind that begin before the range's end and end in it or behind; of pauses
// (SpanKind::stop) all threads', and none while the index is being built. In order of their ends in
// the source, then those that are open; collections and pauses in order of start. Reads all rows of
// their kind that there are. `fields`: as RowScan takes them. Errors: as RowScan::next().
base::result<void> intervals(const IndexFrames& frames, slice::SpanKind kind, const Range& range,
                             const std::vector<u16>& fields, const IntervalVisitor& visit);

}  // namespace polytrace::store
