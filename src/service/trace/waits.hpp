// SPDX-License-Identifier: Apache-2.0
// Waits for locks, one by one, and who held the lock meanwhile. Any thread.
#pragma once

#include <vector>

#include "service/trace/part.hpp"

namespace polytrace::service {

struct LockWait {
  struct Holder {
    std::uint32_t thread;  // index
    std::int64_t from;     // offsets
    std::int64_t to;
    bool is_sure;  // told, not found out from who got the lock
  };
  std::uint32_t thread = 0;  // index
  base::Id lock = base::kNoId;
  std::string class_name{};  // empty: not known
  std::int64_t start = 0;
  std::int64_t end = 0;
  bool is_open = false;  // its end was not told: it lasts to its thread's last event
  bool got_it = true;
  std::uint32_t method = store::kNoMethod;  // that waited, helpers aside
  std::vector<Holder> holders{};
};

struct LockWaits {
  std::vector<LockWait> waits{};  // the longest first
  std::uint64_t left_out = 0;     // shorter ones
};
// Those that meet the part, at most `limit`. Errors: those of frames; limit_exceeded when asked to
// stop.
base::result<LockWaits> lock_waits(const IndexedTrace& trace, const TracePart& part,
                                   std::uint64_t limit);

}  // namespace polytrace::service
