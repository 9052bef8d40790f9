// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/messages/time_base.hpp"

#include <limits>

namespace polytrace::format::tptp {
namespace {

__extension__ using Wide = __int128;

// Seconds of the years 1995 to 2100.
constexpr std::int64_t kEarliest = 790'000'000;
constexpr std::int64_t kLatest = 4'100'000'000;

bool is_date(std::int64_t time, std::int64_t per_second) {
  return time >= kEarliest * per_second && time <= kLatest * per_second;
}

TimeBase::Nanoseconds clamped(Wide value) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (value > Limits::max()) return {Limits::max(), true};
  if (value < Limits::min()) return {Limits::min(), true};
  return {static_cast<std::int64_t>(value), false};
}

}  // namespace

void TimeBase::see(std::int64_t time) {
  if (frequency_ != 0 || unit_ != 0 || time == 0) return;
  unit_ = 1;
  for (std::int64_t per_second = 1; per_second <= kSecond; per_second *= 1000) {
    if (!is_date(time, per_second)) continue;
    unit_ = kSecond / per_second;
    wall_ = true;
  }
}

bool TimeBase::is_wall(std::int64_t time) const {
  return frequency_ == 0 ? wall_ : frequency_ == kSecond && is_date(time, kSecond);
}

TimeBase::Nanoseconds TimeBase::to_nanoseconds(std::int64_t value) const {
  if (is_plain()) return {value, false};
  if (frequency_ == 0) return clamped(Wide{value} * unit_);
  const Wide ticks = Wide{value} * kSecond;
  const Wide floor = ticks / frequency_ - (ticks % frequency_ < 0 ? 1 : 0);
  return clamped(floor);
}

}  // namespace polytrace::format::tptp
