// SPDX-License-Identifier: Apache-2.0
#include "service/selection/times.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/codes.hpp"
#include "base/text/wall_time.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::service {
namespace {

using base::Time;

struct UnitName {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array<UnitName, 9> kUnits{{{"ns", 1},
                                          {"us", 1e3},
                                          {"\xc2\xb5s", 1e3},
                                          {"ms", 1e6},
                                          {"s", 1e9},
                                          {"min", 60e9},
                                          {"m", 60e9},
                                          {"h", 3600e9},
                                          {"d", 86400e9}}};

std::optional<std::int64_t> duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto value = parse_number<double>(text.substr(0, digits));
  if (!value) return std::nullopt;
  for (const UnitName& unit : kUnits) {
    const double result = *value * unit.nanoseconds;
    if (text.substr(digits) == unit.name && result < 9.2e18) return std::llround(result);
  }
  return std::nullopt;
}

std::optional<double> share(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto percent = parse_number<double>(text.substr(0, text.size() - 1));
  if (!percent || !(*percent >= 0 && *percent <= 100)) return std::nullopt;
  return *percent / 100;
}

// From one end of the clock to the other a span has 64 bits.
Time at_share(double share, Time first, Time last) {
  const auto span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const long double part = std::round(static_cast<long double>(share) * span);
  const auto whole =
      part < static_cast<long double>(span) ? static_cast<std::uint64_t>(part) : span;
  return static_cast<Time>(static_cast<std::uint64_t>(first) + whole);
}

// Beyond the ends of the clock lies nothing: stop there.
Time plus(Time time, std::int64_t more) {
  Time sum = 0;
  if (!__builtin_add_overflow(time, more, &sum)) return sum;
  return more < 0 ? std::numeric_limits<Time>::min() + 1 : std::numeric_limits<Time>::max();
}

}  // namespace

base::result<TimePoint> parse_time_point(std::string_view text) {
  using Against = TimePoint::Against;
  if (const auto plain = parse_number<std::int64_t>(text))
    return TimePoint{Against::clock, *plain, 0};
  if (const auto part = share(text)) return TimePoint{Against::share, 0, *part};
  if (const auto point = base::parse_wall_time(text)) return TimePoint{Against::wall, *point, 0};
  const bool plus = text.starts_with('+');
  if (const auto length = duration(text.substr(plus ? 1 : 0)))
    return TimePoint{plus ? Against::from : Against::start, *length, 0};
  return base::fail(base::Code::usage,
                    fmt::format("\"{}\" is no time: try 1.5s, +200ms, 50%, 2026-11-21T10:00:00Z "
                                "or plain nanoseconds of the trace's clock",
                                text));
}

base::result<base::Duration> parse_shift(std::string_view text) {
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const auto length = duration(text.substr(has_sign ? 1 : 0));
  if (length) return text.starts_with('-') ? -*length : *length;
  return base::fail(base::Code::usage,
                    fmt::format("\"{}\" is no duration: try +1.5s or -200ms", text));
}

base::result<Time> resolve(const TimePoint& point, const Overview& overview, Time from) {
  using Against = TimePoint::Against;
  if (point.against == Against::clock) return point.nanoseconds;
  if (overview.first == base::kNoTime)
    return base::fail(base::Code::usage, "the trace has no events to count times from");
  switch (point.against) {
    case Against::share: return at_share(point.share, overview.first, overview.last);
    case Against::wall:
      if (overview.wall == base::kNoTime)
        return base::fail(base::Code::usage, "the trace has no wall time");
      return plus(plus(point.nanoseconds, -overview.wall), overview.wall_at);
    case Against::from: return plus(from, point.nanoseconds);
    case Against::start:
    case Against::clock: break;
  }
  return plus(overview.first, point.nanoseconds);
}

}  // namespace polytrace::service
