// SPDX-License-Identifier: Apache-2.0
// What a stream's times count (docs/formats/tbf.md, section 7), to nanoseconds and never through a
// floating-point number. A value type.
#pragma once

#include "base/types.hpp"

namespace polytrace::format::tptp {

class TimeBase {
 public:
  static constexpr std::int64_t kSecond = 1'000'000'000;

  // Ticks per second from now on. REQUIRES: positive.
  void set_frequency(std::int64_t ticks) { frequency_ = ticks; }
  std::int64_t frequency() const { return frequency_; }

  // Shows a time. Without a frequency, the first one that is not 0 decides the unit, by the one
  // unit in which it lies between 1995 and 2100; when there is none, it is nanoseconds.
  void see(std::int64_t time);

  // Whether times are nanoseconds already.
  bool is_plain() const { return frequency_ == 0 ? unit_ <= 1 : frequency_ == kSecond; }
  // Whether nanoseconds count from 1970, as far as `time` (as in the stream) tells.
  bool is_wall(std::int64_t time) const;
  // The same of a time in nanoseconds.
  static bool is_wall_time(std::int64_t time) {
    TimeBase nanoseconds;
    nanoseconds.set_frequency(kSecond);
    return nanoseconds.is_wall(time);
  }

  struct Nanoseconds {
    std::int64_t value;
    bool clamped;  // they leave the range of 64 bits
  };
  Nanoseconds to_nanoseconds(std::int64_t value) const;

 private:
  std::int64_t frequency_ = 0;  // 0 = none told
  std::int64_t unit_ = 0;       // nanoseconds, 0 = not known yet
  bool wall_ = false;           // the unit was found by a date
};

}  // namespace polytrace::format::tptp
