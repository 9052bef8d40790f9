// SPDX-License-Identifier: Apache-2.0
#include "sql/trace/buckets.hpp"

#include <bit>

#include "store/read/cells/cell_layout.hpp"

namespace polytrace::sql {
namespace {

BucketSpan at_level(BucketSpan span, unsigned level) {
  span.level = level;
  if (span.from >= span.to) return span;
  span.first = store::bucket_of(span.from, span.origin, level);
  span.end = store::bucket_of(span.to - 1, span.origin, level) + 1;
  return span;
}

// Nothing happens outside of the trace.
BucketSpan within(const Trace& trace, const store::Range& range) {
  const store::Totals totals = trace.store().facts().totals;
  BucketSpan span{.origin = totals.origin == base::kNoTime ? 0 : totals.origin};
  if (totals.origin == base::kNoTime) return span;
  span.from = std::max(range.from, trace.start());
  span.to = std::min(range.to, trace.end() == INT64_MAX ? INT64_MAX : trace.end() + 1);
  return span;
}

constexpr unsigned kWidest = store::kMostLevel;

}  // namespace

BucketSpan buckets_of(const Trace& trace, const store::Range& range, std::int64_t most) {
  BucketSpan span = at_level(within(trace, range), 0);
  for (unsigned level = 1; level <= kWidest && span.end - span.first > most; ++level)
    span = at_level(span, level);
  return span;
}

BucketSpan buckets_of_step(const Trace& trace, const store::Range& range, std::int64_t step) {
  const auto bits = static_cast<unsigned>(
      std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(step, 1))));
  return at_level(within(trace, range), std::min(bits - 1, kWidest));
}

std::vector<std::uint32_t> threads_in(const Trace& trace, const store::Range& range) {
  const std::uint32_t count = trace.store().frames().threads();
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < count && range.threads.empty(); ++i) all.push_back(i);
  for (const std::uint32_t thread : range.threads)
    if (thread < count) all.push_back(thread);
  return all;
}

}  // namespace polytrace::sql
