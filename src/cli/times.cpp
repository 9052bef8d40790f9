// SPDX-License-Identifier: Apache-2.0
#include "cli/times.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "cli/numbers.hpp"

namespace polytrace::cli {
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

// "10:00:00" or "10:00:00.25" as nanoseconds of the day.
std::optional<std::int64_t> clock_of_day(std::string_view text) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto hour = parse_number<unsigned>(text.substr(0, 2));
  const auto minute = parse_number<unsigned>(text.substr(3, 2));
  const auto second = parse_number<double>(text.substr(6));
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || !(*second >= 0 && *second < 61))
    return std::nullopt;
  return (std::int64_t{*hour} * 60 + *minute) * 60'000'000'000 + std::llround(*second * 1e9);
}

// "Z", "+01:00" or "-05:30" as nanoseconds east of UTC.
std::optional<std::int64_t> zone(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || text[3] != ':') return std::nullopt;
  const auto hours = parse_number<unsigned>(text.substr(1, 2));
  const auto minutes = parse_number<unsigned>(text.substr(4, 2));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::int64_t east = (std::int64_t{*hours} * 60 + *minutes) * 60'000'000'000;
  return text[0] == '-' ? -east : east;
}

std::optional<std::int64_t> day(std::string_view text) {
  using namespace std::chrono;
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto y = parse_number<int>(text.substr(0, 4));
  const auto m = parse_number<unsigned>(text.substr(5, 2));
  const auto d = parse_number<unsigned>(text.substr(8, 2));
  if (!y || !m || !d) return std::nullopt;
  const year_month_day date{year{*y}, month{*m}, std::chrono::day{*d}};
  if (!date.ok() || *y < 1700 || *y > 2200) return std::nullopt;
  return nanoseconds(sys_days(date).time_since_epoch()).count();
}

std::optional<std::int64_t> wall(std::string_view text) {
  constexpr std::size_t kDate = 10;
  if (text.size() < kDate + 2 || (text[kDate] != 'T' && text[kDate] != 't')) return std::nullopt;
  const std::size_t zone_at = text.find_first_of("Zz+-", kDate);
  if (zone_at == text.npos) return std::nullopt;
  const auto date = day(text.substr(0, kDate));
  const auto time = clock_of_day(text.substr(kDate + 1, zone_at - kDate - 1));
  const auto east = zone(text.substr(zone_at));
  if (!date || !time || !east) return std::nullopt;
  return *date + *time - *east;
}

std::optional<double> share(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto percent = parse_number<double>(text.substr(0, text.size() - 1));
  if (!percent || !(*percent >= 0 && *percent <= 100)) return std::nullopt;
  return *percent / 100;
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
  if (const auto point = wall(text)) return TimePoint{Against::wall, *point, 0};
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
    case Against::share:
      return plus(overview.first, std::llround(point.share * static_cast<double>(overview.span())));
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

}  // namespace polytrace::cli
