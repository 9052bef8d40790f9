// SPDX-License-Identifier: Apache-2.0
// What the programs of one store bring that is new to it, and stays there: names, stacks, programs,
// names of labels. Each of them is cheap, but generated ones come without end: beyond so many an
// hour or a day they are not told any more, and what they weigh is told of one in their place. Any
// thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "base/seeded_hash.hpp"
#include "base/wall_clock.hpp"

namespace polytrace::collector {

struct NoveltyLimits {
  std::uint64_t names = 200'000;     // an hour
  std::uint64_t stacks = 1'000'000;  // a day
  std::uint64_t programs = 100'000;  // a day
  std::uint64_t label_names = 50;    // a day
};

class Novelty {
 public:
  enum class Kind : std::uint8_t { name, stack, program, label_name };
  using Clock = std::function<std::int64_t()>;  // seconds since 1970

  explicit Novelty(NoveltyLimits limits = {}, Clock clock = base::wall_seconds)
      : seen_{{{3600, limits.names},
               {86'400, limits.stacks},
               {86'400, limits.programs},
               {86'400, limits.label_names}}},
        clock_(std::move(clock)) {}

  // Whether it may be told: it was, in this hour or day, or there is room for one more. Memory is
  // that of what was told in it: 32 bytes each.
  bool admits(Kind kind, std::uint64_t id) {
    const std::scoped_lock lock(mutex_);
    Seen& seen = seen_[static_cast<std::size_t>(kind)];
    const std::int64_t now = clock_() / seen.period;
    if (std::exchange(seen.now, now) != now) seen.ids = {};
    if (seen.ids.contains(id)) return true;
    const bool has_room = seen.ids.size() < seen.most;
    if (has_room) seen.ids.insert(id);
    else ++seen.refused;
    return has_room;
  }
  // How often something was not.
  std::uint64_t refused(Kind kind) const {
    const std::scoped_lock lock(mutex_);
    return seen_[static_cast<std::size_t>(kind)].refused;
  }

 private:
  struct Seen {
    std::int64_t period;  // seconds
    std::uint64_t most;   // in each
    std::int64_t now = -1;
    base::IdSet ids{};
    std::uint64_t refused = 0;
  };

  mutable std::mutex mutex_;
  std::array<Seen, 4> seen_;
  Clock clock_;
};

}  // namespace polytrace::collector
