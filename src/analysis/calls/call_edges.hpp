// SPDX-License-Identifier: Apache-2.0
// Who called whom, without the paths; and what is left of paths that a call tree had no room for.
#pragma once

#include "analysis/calls/call_totals.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

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
