// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/messages/written_times.hpp"

#include <limits>

#include "format/tptp/messages/time_base.hpp"

namespace polytrace::format::tptp {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

bool is_wall(std::int64_t time) {
  TimeBase nanoseconds;
  nanoseconds.set_frequency(kSecond);
  return nanoseconds.is_wall(time);
}

}  // namespace

void WrittenTimes::tell(base::Time now, const event::Clock& clock) {
  if (told_ || now_ != 0) return loss_.event(event::Kind::Clock);
  told_ = true;
  const bool binary = spelling_ == Spelling::tbf;
  if (clock.ticks_per_second != (binary ? kSecond : 0) && clock.ticks_per_second != 0)
    lose("ticks_per_second");
  if (clock.resolution != (binary ? 1 : 0) && clock.resolution != 0) lose("resolution");
  if (clock.overhead != 0) lose("overhead");
  if (clock.wall == base::kNoTime) return;
  wall_ = is_wall(clock.wall);
  if (!wall_) lose("wall");
  else if (__builtin_sub_overflow(clock.wall, now, &shift_)) shift_ = 0;
  else clock_ = clock.wall;
}

void WrittenTimes::finish() {
  if (told_ && now_ == 0) loss_.event(event::Kind::Clock);
}

bool WrittenTimes::stamp(base::Time time, std::int64_t& written) {
  written = shifted(time);
  // A time of 0 is none.
  if (written == 0) return now_ == 0;
  if (now_ == 0 && wall_ && !is_wall(written)) lose("wall");
  now_ = written;
  return shift_ == 0 || written - shift_ == time;
}

std::int64_t WrittenTimes::shifted(base::Time time) const {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(time, shift_, &sum)) return sum;
  return time < 0 ? std::numeric_limits<std::int64_t>::min()
                  : std::numeric_limits<std::int64_t>::max();
}

}  // namespace polytrace::format::tptp
