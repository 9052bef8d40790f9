// SPDX-License-Identifier: Apache-2.0
#include "format/native/read/clock.hpp"

#include <algorithm>

namespace polytrace::format::native {
namespace {

// So that a tick that lies a record's greatest difference beyond does not come round.
constexpr std::uint64_t kMostTicks = ~std::uint64_t{0} - (std::uint64_t{1} << 60);

// Ticks are nanoseconds. The one that means "no time" is left out.
constexpr auto kNoLineFirst = static_cast<std::uint64_t>(base::kNoTime + 1);
constexpr TickRange kNoLine{kNoLineFirst, kNoLineFirst, std::uint64_t{1} << kRateShift, kMostTicks};

TickRange range_of(const ClockLine& line, std::uint64_t ticks) {
  __extension__ using Product = unsigned __int128;
  TickRange range{line.tick0, static_cast<std::uint64_t>(line.time0), line.rate,
                  std::min(ticks, kMostTicks)};
  const std::uint64_t room = static_cast<std::uint64_t>(INT64_MAX) - range.time0;
  if (line.rate == 0) return range;
  const Product most = (Product{room} << kRateShift) / line.rate;
  if (most < range.ticks) range.ticks = static_cast<std::uint64_t>(most);
  if (line.time0 == base::kNoTime) range.ticks = 0;
  return range;
}

}  // namespace

base::Time Clock::time_elsewhere(std::uint64_t tick) {
  const auto at = static_cast<std::int64_t>(tick);
  range_ = {};
  if (context_.lines.empty()) {
    range_ = kNoLine;
    return std::max(at, base::kNoTime + 1);
  }
  const auto line = context_.lines.at_or_before(at);
  const auto next = context_.lines.after(at);
  if (!line) return time_at(next->second, tick);
  const std::uint64_t end = next ? next->second.tick0 : line->second.tick0 + kMostTicks;
  range_ = range_of(line->second, end - line->second.tick0);
  return time_at(line->second, tick);
}

}  // namespace polytrace::format::native
