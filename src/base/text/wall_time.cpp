// SPDX-License-Identifier: Apache-2.0
#include "base/text/wall_time.hpp"

#include <charconv>
#include <chrono>
#include <cmath>

namespace polytrace::base {
namespace {

template <class T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// "10:00:00" or "10:00:00.25" as nanoseconds of the day.
std::optional<std::int64_t> clock_of_day(std::string_view text) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto hour = number_of<unsigned>(text.substr(0, 2));
  const auto minute = number_of<unsigned>(text.substr(3, 2));
  const auto second = number_of<double>(text.substr(6));
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || !(*second >= 0 && *second < 61))
    return std::nullopt;
  return (std::int64_t{*hour} * 60 + *minute) * 60'000'000'000 + std::llround(*second * 1e9);
}

// "Z", "+01:00" or "-05:30" as nanoseconds east of UTC.
std::optional<std::int64_t> zone(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || text[3] != ':') return std::nullopt;
  const auto hours = number_of<unsigned>(text.substr(1, 2));
  const auto minutes = number_of<unsigned>(text.substr(4, 2));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::int64_t east = (std::int64_t{*hours} * 60 + *minutes) * 60'000'000'000;
  return text[0] == '-' ? -east : east;
}

std::optional<std::int64_t> day_of(std::string_view text) {
  using namespace std::chrono;
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto y = number_of<int>(text.substr(0, 4));
  const auto m = number_of<unsigned>(text.substr(5, 2));
  const auto d = number_of<unsigned>(text.substr(8, 2));
  if (!y || !m || !d) return std::nullopt;
  const year_month_day date{year{*y}, month{*m}, std::chrono::day{*d}};
  if (!date.ok() || *y < 1700 || *y > 2200) return std::nullopt;
  return nanoseconds(sys_days(date).time_since_epoch()).count();
}

}  // namespace

std::optional<std::int64_t> parse_wall_time(std::string_view text) {
  constexpr std::size_t kDate = 10;
  if (text.size() < kDate + 2 || (text[kDate] != 'T' && text[kDate] != 't')) return std::nullopt;
  const std::size_t zone_at = text.find_first_of("Zz+-", kDate);
  if (zone_at == text.npos) return std::nullopt;
  const auto date = day_of(text.substr(0, kDate));
  const auto time = clock_of_day(text.substr(kDate + 1, zone_at - kDate - 1));
  const auto east = zone(text.substr(zone_at));
  if (!date || !time || !east) return std::nullopt;
  return *date + *time - *east;
}

}  // namespace polytrace::base
