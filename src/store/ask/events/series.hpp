// SPDX-License-Identifier: Apache-2.0
// Numbers over time in buckets of 2^level ns, counted from the origin of the index: what threads
// did, exact in each bucket; and what heap sizes and counters said.
#pragma once

#include <functional>
#include <optional>

#include "store/ask/events/span_zoom.hpp"

namespace polytrace::store {

inline constexpr std::int64_t kMostBuckets = std::int64_t{1} << 20;

struct Buckets {
  unsigned level = 0;  // at most kMostLevel
  std::int64_t first = 0;
  std::int64_t end = 0;                  // not included; at most kMostBuckets behind the first
  std::vector<std::uint32_t> threads{};  // indexes; empty: all; of values ignored
  const std::atomic<bool>* stop = nullptr;
};

// Of a bucket the sum over threads. Times are nanoseconds, clipped at the bucket's ends.
struct ActivityPoint {
  std::int64_t bucket = 0;
  std::uint64_t in_calls = 0;
  std::uint64_t blocked = 0;  // inside and outside of calls; so is waiting: Family::waits
  std::uint64_t waiting = 0;
  std::uint64_t calls = 0;    // that begin
  std::uint64_t objects = 0;  // allocated, with those that were told as a sum
  std::uint64_t bytes = 0;
  std::uint64_t samples = 0;  // of the threads

  bool operator==(const ActivityPoint&) const = default;
};
using ActivityVisitor = std::function<void(const ActivityPoint&)>;
// In order, without buckets in which nothing happened. `tables`: of these frames. Errors: those of
// frames and collect_spans(); value_unexpected for a level that there is not, limit_exceeded for
// too many buckets or when asked to stop.
base::result<void> activity(const IndexFrames& frames, SpanTables& tables, base::Time origin,
                            const Buckets& asked, const ActivityVisitor& visit);

enum class ValueSource : std::uint8_t { heap_total, heap_used, heap_objects, counter };
struct ValuePoint {
  std::int64_t bucket = 0;
  double least = 0;
  double most = 0;
  double last = 0;  // of the greatest time, of several the last in the source
  double sum = 0;
  std::uint64_t count = 0;
};
using ValueVisitor = std::function<void(const ValuePoint&)>;
// Values that are told and finite: of the heap as a whole, or of a counter, in the unit of its
// rows. In order, without buckets that have none. Gives the last value before them, where there is
// one. `counter`: its index. Errors: as activity().
base::result<std::optional<double>> values(const IndexFrames& frames, base::Time origin,
                                           ValueSource source, std::uint64_t counter,
                                           const Buckets& asked, const ValueVisitor& visit);

}  // namespace polytrace::store
