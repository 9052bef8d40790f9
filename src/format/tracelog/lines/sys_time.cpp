// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/lines/sys_time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <iterator>

namespace polytrace::format::tracelog {
namespace {

using std::chrono::floor;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;

// '0' stands for a digit, '#' for a sign, everything else for itself.
bool matches(std::string_view text, std::string_view pattern) {
  if (text.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (pattern[i] == '0' && (c < '0' || c > '9')) return false;
    if (pattern[i] == '#' && c != '+' && c != '-') return false;
    if (pattern[i] != '0' && pattern[i] != '#' && c != pattern[i]) return false;
  }
  return true;
}

int number(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  for (const char c : text.substr(at, digits)) value = value * 10 + (c - '0');
  return value;
}

}  // namespace

bool parse_sys_time(std::string_view text, SysTime& time) {
  constexpr std::string_view kTime = "0000-00-00 00:00:00.000";
  constexpr std::string_view kOffset = " #00:00";
  const std::string_view behind = text.substr(std::min(text.size(), kTime.size()));
  if (!matches(text.substr(0, kTime.size()), kTime)) return false;
  if (!behind.empty() && !matches(behind, kOffset)) return false;
  const std::chrono::year_month_day day{
      std::chrono::year(number(text, 0, 4)),
      std::chrono::month(static_cast<unsigned>(number(text, 5, 2))),
      std::chrono::day(static_cast<unsigned>(number(text, 8, 2)))};
  const int hour = number(text, 11, 2);
  const int minute = number(text, 14, 2);
  const int second = number(text, 17, 2);
  if (!day.ok() || hour > 23 || minute > 59 || second > 59) return false;
  time.offset = 0;
  time.has_offset = !behind.empty();
  if (time.has_offset) {
    if (number(behind, 2, 2) > 23 || number(behind, 5, 2) > 59) return false;
    const std::int64_t ahead = number(behind, 2, 2) * 60 + number(behind, 5, 2);
    time.offset = (behind[1] == '-' ? -ahead : ahead) * kMinute;
  }
  const std::int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  const std::int64_t total =
      ((days * 24 + hour) * 60 + minute) * 60'000 + second * 1000 + number(text, 20, 3);
  const std::int64_t utc = total - time.offset / kMillisecond;
  time.clamped = std::abs(utc) > INT64_MAX / kMillisecond;
  const std::int64_t nearest = utc < 0 ? -(INT64_MAX / kMillisecond) : INT64_MAX / kMillisecond;
  time.wall = (time.clamped ? nearest : utc) * kMillisecond;
  return true;
}

void append_sys_time(std::string& to, base::Time wall, base::Duration offset, bool with_offset) {
  const auto utc = floor<milliseconds>(nanoseconds(wall));
  const auto ahead = with_offset ? floor<minutes>(nanoseconds(offset)) : minutes(0);
  const std::chrono::sys_time<milliseconds> local{utc + ahead};
  const auto days = floor<std::chrono::days>(local);
  const std::chrono::year_month_day day{days};
  const std::chrono::hh_mm_ss<milliseconds> clock{local - days};
  const auto out = std::back_inserter(to);
  fmt::format_to(out, "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", static_cast<int>(day.year()),
                 static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                 clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                 clock.subseconds().count());
  if (!with_offset) return;
  const auto distance = std::abs(ahead.count());
  fmt::format_to(out, " {}{:02}:{:02}", ahead.count() < 0 ? '-' : '+', distance / 60,
                 distance % 60);
}

}  // namespace polytrace::format::tracelog
