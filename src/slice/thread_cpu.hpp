// SPDX-License-Identifier: Apache-2.0
// CPU time of threads by their Cpu events: how much in the selected time, and whether that is known
// at all. An event covers the stretch of time that it tells, else the time since the thread's event
// before. Between an event and the next one's stretch the thread used none, and so it did after an
// event that says 0. All other time is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "event/details.hpp"
#include "slice/selection.hpp"

namespace polytrace::slice {

class ThreadCpu {
 public:
  explicit ThreadCpu(const Selection& selection) : from_(selection.from), to_(selection.to) {}

  // An event with scope thread; they may be out of order. `thread` is an index in Names::threads().
  void take(std::uint32_t thread, base::Time time, const event::Cpu& cpu);
  // Nanoseconds inside the selected time; nothing where none of it is known.
  std::optional<std::uint64_t> used(std::uint32_t thread) const;

 private:
  struct Thread {
    base::Time last = base::kNoTime;  // of its latest event
    bool idle = false;                // which said that it used none
    bool known = false;               // something of the selected time
    std::uint64_t used = 0;
  };
  // Whether [from, to) has some of the selected time; a moment counts as itself.
  bool meets(base::Time from, base::Time to) const;
  std::uint64_t part(base::Time from, base::Time to, std::uint64_t used) const;

  base::Time from_;
  base::Time to_;
  std::vector<Thread> threads_;  // by index
};

}  // namespace polytrace::slice
