// SPDX-License-Identifier: Apache-2.0
// The clock of a recording: ticks, and the line from ticks to nanoseconds of CLOCK_MONOTONIC
// (docs/formats/native.md, section 6). Ticks are the time stamp counter where it is invariant, else
// nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/common/memory/thread_buffer.hpp"
#include "agent/common/options/options.hpp"
#include "base/types.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::agent {

enum class ClockKind : std::uint8_t { counter, monotonic, coarse };

// The time stamp counter runs at one rate in all states and on all cores.
bool has_invariant_counter();
base::Time monotonic_now();
base::Time wall_now();

class Clock {
 public:
  // Chooses the kind and takes a first line, in about a millisecond. Not thread-safe; before any
  // other call.
  void start(ClockChoice choice);

  ClockKind kind() const { return kind_; }
  // Any thread.
  std::uint64_t now() const;
  base::Time time_of(std::uint64_t tick) const;
  base::Time time() const { return time_of(now()); }

  // The writer thread: a new line when one is due (0.1 s, 1 s, 10 s, then every 10 s after start).
  // It begins where the former one is now and comes back to CLOCK_MONOTONIC at the next one.
  bool refit();
  format::native::ClockLine line() const { return line_; }
  std::uint64_t ticks_per_second() const;

 private:
  struct Pair {
    std::uint64_t tick = 0;
    base::Time time = 0;
  };
  Pair take_pair() const;
  void set_line(const format::native::ClockLine& line);

  ClockKind kind_ = ClockKind::monotonic;
  Pair first_;
  base::Time due_ = 0;
  base::Time interval_ = 0;
  format::native::ClockLine line_;  // the writer's
  // The same for other threads: even sequence = whole.
  std::atomic<std::uint32_t> sequence_ = 0;
  std::atomic<std::uint64_t> tick0_ = 0;
  std::atomic<std::int64_t> time0_ = 0;
  std::atomic<std::uint64_t> rate_ = std::uint64_t{1} << 32;
};

}  // namespace polytrace::agent
