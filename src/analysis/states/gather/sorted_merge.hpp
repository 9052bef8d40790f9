// SPDX-License-Identifier: Apache-2.0
// Merges sources that are in order each, stably: of equal heads that of the earlier source comes
// first. What stays in one source for long costs one comparison a piece.
#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"

namespace polytrace::analysis {

struct SourcePlace {
  base::Time time;
  std::size_t source;
};
struct Later {
  bool operator()(const SourcePlace& a, const SourcePlace& b) const {
    return a.time != b.time ? a.time > b.time : a.source > b.source;
  }
};

// A Source has `const Happening& head() const` and `bool next()`, false at its end. All of them
// have a head at first. Calls each(const Happening&), bool; false when that ended it.
template <class Source, class Each>
bool merge_sorted(std::vector<Source>& sources, Each&& each) {
  std::vector<SourcePlace> heap;
  for (std::size_t i = 0; i < sources.size(); ++i) heap.push_back({sources[i].head().time, i});
  std::ranges::make_heap(heap, Later{});
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, Later{});
    SourcePlace place = heap.back();
    heap.pop_back();
    Source& source = sources[place.source];
    bool more = true;
    do {
      if (!each(source.head())) return false;
      more = source.next();
      if (more) place.time = source.head().time;
    } while (more && (heap.empty() || Later{}(heap.front(), place)));
    if (!more) continue;
    heap.push_back(place);
    std::ranges::push_heap(heap, Later{});
  }
  return true;
}

}  // namespace polytrace::analysis
