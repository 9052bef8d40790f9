// SPDX-License-Identifier: Apache-2.0
// The figures of one method's calls, or of one place in the call tree, and how a call is measured;
// who called whom, without the paths; and what is left of paths that a call tree had no room for.
#pragma once

#include <algorithm>
#include <limits>

#include "analysis/analysis.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

// Nanoseconds. Sums are modulo 2^64: times of a broken trace must not be able to do harm.
struct alignas(64) CallTotals {
  std::uint64_t calls = 0;
  std::uint64_t total = 0;    // durations of all calls: in a recursion, each level counts
  std::uint64_t elapsed = 0;  // of calls not inside another call of the same method
  std::uint64_t self = 0;     // total without what was spent in callees
  std::uint64_t busy = 0;     // of self, as in BusyTimes
  std::uint64_t waiting = 0;  // likewise
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;

  void add(std::uint64_t duration) {
    ++calls;
    total += duration;
    least = std::min(least, duration);
    most = std::max(most, duration);
  }
};

// The shortest and the longest call of a method; least > most: none was timed.
struct CallBounds {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;

  void add(std::uint64_t shortest, std::uint64_t longest) {
    least = std::min(least, shortest);
    most = std::max(most, longest);
  }
};

// Of runtime helpers that are not shown: their calls are nobody's, their time is self time of the
// methods that called them.
struct HelperTotals {
  std::uint64_t calls = 0;
  std::uint64_t self = 0;     // nanoseconds
  std::uint64_t unowned = 0;  // of it, where nothing in the trace called them
};

// A difference of sums as a time: what times running backwards made negative is nothing.
inline std::uint64_t not_negative(std::uint64_t difference) {
  return static_cast<std::int64_t>(difference) < 0 ? 0 : difference;
}

// Measures calls by the part that lies inside the selected time.
class CallWindow {
 public:
  explicit CallWindow(const Selection& selection)
      : from_(selection.from),
        to_(selection.to),
        whole_(from_ == Selection{}.from && to_ == Selection{}.to) {}
  bool whole() const { return whole_; }
  bool has(base::Time time) const { return whole_ || (time >= from_ && time < to_); }
  // False: no part of the call is inside.
  bool measure(base::Time start, base::Time end, std::uint64_t& duration) const {
    if (!whole_) {
      if (end < from_ || start >= to_) return false;
      start = std::max(start, from_);
      end = std::min(end, to_);
    }
    duration = not_negative(static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start));
    return true;
  }

 private:
  base::Time from_;
  base::Time to_;
  bool whole_;
};

struct CallEdge {
  std::uint32_t method = NameTable::kNone;
  std::uint32_t caller = NameTable::kNone;  // kNone: called by nothing in the trace
  std::uint64_t calls = 0;
  std::uint64_t total = 0;       // nanoseconds, modulo 2^64
  std::uint64_t from_calls = 0;  // of the caller, on the paths that have the edge
};

// Edges by method and caller, in the order they were added. One thread at a time.
class CallEdges {
 public:
  void add(const CallEdge& edge) {
    const std::uint64_t key = (std::uint64_t{edge.method} << 32) | edge.caller;
    const auto [place, fresh] = places_.try_emplace(key, all_.size());
    if (fresh) {
      all_.push_back(edge);
      return;
    }
    CallEdge& sum = all_[place->second];
    sum.calls += edge.calls;
    sum.total += edge.total;
    sum.from_calls += edge.from_calls;
  }
  const std::vector<CallEdge>& all() const { return all_; }

 private:
  base::IdMap<std::size_t> places_;
  std::vector<CallEdge> all_;
};

// What merged paths add to figures that need no path.
struct MergedPaths {
  std::uint64_t paths = 0;         // each time they were merged
  std::vector<CallTotals> totals;  // by method; may be shorter
  CallEdges edges;
};

}  // namespace polytrace::analysis
