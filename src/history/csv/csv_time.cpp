// SPDX-License-Identifier: Apache-2.0
#include "history/csv/csv_time.hpp"

#include <algorithm>
#include <charconv>

#include "base/text/wall_time.hpp"

namespace polytrace::history {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return number;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "-1.25": through decimal places, for a double has too few.
std::optional<Tick> seconds(std::string_view text, std::uint64_t ticks_per_second) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  if (point == text.npos || !is_digits(text.substr(0, point)) || !is_digits(text.substr(point + 1)))
    return std::nullopt;
  Tick ticks = 0;
  const auto second = whole(text.substr(0, point));
  auto unit = static_cast<std::int64_t>(ticks_per_second);
  if (!second || __builtin_mul_overflow(*second, unit, &ticks)) return std::nullopt;
  for (const char c : text.substr(point + 1)) {
    unit /= 10;
    const std::int64_t digit = c - '0';
    if (unit == 0 && digit != 0) return std::nullopt;
    if (__builtin_add_overflow(ticks, digit * unit, &ticks)) return std::nullopt;
  }
  return negative ? -ticks : ticks;
}

}  // namespace

std::optional<CsvTime> parse_csv_time(std::string_view text, std::uint64_t ticks_per_second) {
  if (const auto tick = whole(text)) return CsvTime{*tick, false};
  if (const auto tick = seconds(text, ticks_per_second)) return CsvTime{*tick, false};
  const auto wall = base::parse_wall_time(text);
  const std::int64_t length = kNanoseconds / static_cast<std::int64_t>(ticks_per_second);
  if (!wall || *wall % length != 0) return std::nullopt;
  return CsvTime{*wall / length, true};
}

}  // namespace polytrace::history
