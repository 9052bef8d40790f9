// SPDX-License-Identifier: Apache-2.0
#include "cli/show/units.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <string_view>

namespace polytrace::cli::show {
namespace {

constexpr std::string_view kThinSpace = "\xe2\x80\xaf";  // U+202F, does not break

std::string three_digits(double value, std::string_view unit) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

std::string positive_duration(std::uint64_t ns, const Numerals& numerals) {
  constexpr double kSecond = 1e9;
  const auto value = static_cast<double>(ns);
  if (ns == 0) return "0";
  if (ns < 1000) return fmt::format("{} ns", ns);
  if (value < 999.5e3) return three_digits(value / 1e3, numerals.unicode ? "\xc2\xb5s" : "us");
  if (value < 999.5e6) return three_digits(value / 1e6, "ms");
  if (value < 59.995 * kSecond) return three_digits(value / kSecond, "s");
  if (value < 3599.95 * kSecond) {
    const auto tenths = static_cast<std::uint64_t>(std::llround(value / 1e8));
    return fmt::format("{} min {:02}.{} s", tenths / 600, tenths % 600 / 10, tenths % 10);
  }
  const auto minutes = static_cast<std::uint64_t>(std::llround(value / (60 * kSecond)));
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace

std::string count_text(std::uint64_t value, const Numerals& numerals) {
  const std::string digits = fmt::format("{}", value);
  if (!numerals.unicode || digits.size() < 5) return digits;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += kThinSpace;
    out += digits[i];
  }
  return out;
}

std::string count_text(std::int64_t value, const Numerals& numerals) {
  return (value < 0 ? "-" : "") + count_text(magnitude(value), numerals);
}

std::string duration_text(std::int64_t nanoseconds, const Numerals& numerals) {
  return (nanoseconds < 0 ? "-" : "") + positive_duration(magnitude(nanoseconds), numerals);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return three_digits(value, kUnits[unit]);
}

std::string percent_text(double percent) { return fmt::format("{:.1f} %", percent); }

std::string real_text(double value) {
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

}  // namespace polytrace::cli::show
