// SPDX-License-Identifier: Apache-2.0
// Numbers for people: separators, time from ns to h, bytes in KiB and MiB. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace polytrace::cli::show {

// How numbers look in this terminal.
struct Numerals {
  bool unicode = false;  // thin separators between thousands, "µs"; else plain ASCII
};

std::string count_text(std::uint64_t value, const Numerals& numerals);
std::string count_text(std::int64_t value, const Numerals& numerals);
// "0", "412 ns", "1.50 ms", "2 min 03.4 s", "1 h 02 min".
std::string duration_text(std::int64_t nanoseconds, const Numerals& numerals);
// "512 B", "1.50 KiB".
std::string bytes_text(std::uint64_t bytes);
// "12.3 %".
std::string percent_text(double percent);
// Shortest form with at most three decimals.
std::string real_text(double value);
// "2026-11-21T10:00:00.123Z" of nanoseconds since 1970.
std::string wall_text(std::int64_t nanoseconds);

}  // namespace polytrace::cli::show
