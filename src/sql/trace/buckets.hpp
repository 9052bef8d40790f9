// SPDX-License-Identifier: Apache-2.0
// Time in buckets of a power of two nanoseconds, counted from the first event of the trace: what
// the index answers in.
#pragma once

#include "sql/model/table.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

struct BucketSpan {
  base::Time from = 0;  // the stretch that was asked for, as far as the trace has events
  base::Time to = 0;    // not included
  base::Time origin = 0;
  unsigned level = 0;      // log2 of their width
  std::int64_t first = 0;  // that meets the stretch
  std::int64_t end = 0;    // not included

  bool is_empty() const { return first >= end; }
  std::int64_t width() const { return std::int64_t{1} << level; }
  base::Time start_of(std::int64_t bucket) const {
    return static_cast<base::Time>(static_cast<std::uint64_t>(origin) +
                                   (static_cast<std::uint64_t>(bucket) << level));
  }
};

// The narrowest of which at most `most` meet the range.
BucketSpan buckets_of(const Trace& trace, const store::Range& range, std::int64_t most);
// The widest that are no wider than a step of at least 1.
BucketSpan buckets_of_step(const Trace& trace, const store::Range& range, std::int64_t step);
// The threads of a range, one by one.
std::vector<std::uint32_t> threads_in(const Trace& trace, const store::Range& range);

}  // namespace polytrace::sql
