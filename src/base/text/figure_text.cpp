// SPDX-License-Identifier: Apache-2.0
#include "base/text/figure_text.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <string_view>

namespace polytrace::base {
namespace {

std::string three_digits(double value, std::string_view unit) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

}  // namespace

std::string count_text(std::uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string count_text(std::int64_t value) {
  return (value < 0 ? "-" : "") + count_text(magnitude(value));
}

std::string count_text(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count_text(count), count == 1 ? one : many);
}

std::string duration_text(std::uint64_t nanoseconds) {
  constexpr double kSecond = 1e9;
  const auto value = static_cast<double>(nanoseconds);
  if (nanoseconds < 1000) return fmt::format("{} ns", nanoseconds);
  if (value < 999.5e3) return three_digits(value / 1e3, "\xc2\xb5s");
  if (value < 999.5e6) return three_digits(value / 1e6, "ms");
  if (value < 59.995 * kSecond) return three_digits(value / kSecond, "s");
  if (value < 3599.95 * kSecond) {
    const auto tenths = static_cast<std::uint64_t>(std::llround(value / 1e8));
    return fmt::format("{} min {:02}.{} s", tenths / 600, tenths % 600 / 10, tenths % 10);
  }
  const auto minutes = static_cast<std::uint64_t>(std::llround(value / (60 * kSecond)));
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string duration_text(std::int64_t nanoseconds) {
  return (nanoseconds < 0 ? "-" : "") + duration_text(magnitude(nanoseconds));
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return count_text(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.5) value /= 1024, ++unit;
  return three_digits(value, kUnits[unit]);
}

std::string percent_text(double percent) { return fmt::format("{:.1f} %", percent); }

std::string real_text(double value) {
  constexpr double kLarge = 100;
  if (value >= kLarge && value < 1e18) return count_text(static_cast<std::uint64_t>(value + 0.5));
  std::string text = fmt::format("{:.3f}", value);
  if (!std::isfinite(value)) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string wall_text(std::int64_t nanoseconds) {
  using namespace std::chrono;
  const sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds(nanoseconds)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<milliseconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

}  // namespace polytrace::base
