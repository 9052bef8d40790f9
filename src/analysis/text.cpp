// SPDX-License-Identifier: Apache-2.0
#include "analysis/text.hpp"

#include <fmt/format.h>

#include <array>

namespace polytrace::analysis {
namespace {

// Three significant digits: no more than a person takes in.
std::string three_digits(double value, const char* unit) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

}  // namespace

std::string duration_text(std::uint64_t nanoseconds) {
  if (nanoseconds < 1000) return fmt::format("{} ns", nanoseconds);
  const auto value = static_cast<double>(nanoseconds);
  if (value < 999.5e3) return three_digits(value / 1e3, "us");
  if (value < 999.5e6) return three_digits(value / 1e6, "ms");
  return three_digits(value / 1e9, "s");
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  static constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.5) value /= 1024, ++unit;
  return three_digits(value, kUnits[unit]);
}

std::string count_text(std::uint64_t count, const char* one, const char* many) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return fmt::format("{} {}", digits, count == 1 ? one : many);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  return fmt::format("{:.1f} %", share(part, whole));
}

std::string helpers_note(std::uint64_t calls, std::uint64_t self) {
  return fmt::format("Runtime helpers ({}, {}) count for their callers; --show-helpers lists them.",
                     count_text(calls, "call", "calls"), duration_text(self));
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t elapsed(base::Time from, base::Time to) {
  if (to <= from) return 0;
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

}  // namespace polytrace::analysis
