// SPDX-License-Identifier: Apache-2.0
// Which events to show: by time, stream and kind. A default filter takes everything.
// Value type; const use is thread-safe.
#pragma once

#include <algorithm>
#include <bitset>
#include <limits>
#include <vector>

#include "event/batch.hpp"

namespace polytrace::event {

struct Filter {
  Time from = std::numeric_limits<Time>::min();   // included
  Time until = std::numeric_limits<Time>::max();  // included
  std::vector<Id> threads{};                      // none = all
  std::bitset<kKindCount> kinds{};                // none = all

  void add_kind(Kind kind) { kinds.set(static_cast<std::size_t>(kind)); }

  bool operator()(const Batch& batch, const Event& event) const {
    if (event.time < from || event.time > until) return false;
    if (kinds.any() && !kinds.test(static_cast<std::size_t>(event.kind))) return false;
    return threads.empty() || std::ranges::find(threads, batch.thread(event)) != threads.end();
  }
};

}  // namespace polytrace::event
