// SPDX-License-Identifier: Apache-2.0
// Stretches of time, plainly: what they have in common, and what is left of them.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace polytrace::store::calls {

using Span = std::pair<base::Time, base::Time>;

inline std::uint64_t common(Span a, Span b) {
  return base::elapsed(std::max(a.first, b.first), std::min(a.second, b.second));
}

inline std::uint64_t common(Span a, const std::vector<Span>& all) {
  auto at = std::ranges::lower_bound(all, a.first, {}, &Span::second);
  std::uint64_t sum = 0;
  for (; at != all.end() && at->first < a.second; ++at) sum += common(a, *at);
  return sum;
}

// Parts of the spans that none of the others covers. Both in order, each apart.
inline std::vector<Span> without(const std::vector<Span>& spans, const std::vector<Span>& others) {
  std::vector<Span> rest;
  for (Span span : spans) {
    for (const Span& other : others) {
      if (other.second <= span.first || other.first >= span.second) continue;
      if (other.first > span.first) rest.emplace_back(span.first, other.first);
      span.first = std::min(span.second, other.second);
    }
    if (span.first < span.second) rest.push_back(span);
  }
  return rest;
}

}  // namespace polytrace::store::calls
