// SPDX-License-Identifier: Apache-2.0
// Figures as people read them: the same in sentences, tables and headlines, on any terminal.
// Programs get plain numbers instead. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace polytrace::base {

// "77,412,001"
std::string count_text(std::uint64_t value);
std::string count_text(std::int64_t value);
// "1 call", "77,412,001 calls"
std::string count_text(std::uint64_t count, const char* one, const char* many);
// "0 ns", "412 ns", "4.12 µs", "2 min 03.4 s", "1 h 02 min"
std::string duration_text(std::uint64_t nanoseconds);
std::string duration_text(std::int64_t nanoseconds);
// "512 B", "1.50 KiB"
std::string bytes_text(std::uint64_t bytes);
// "12.3 %"
std::string percent_text(double percent);
// "0.125", "12.5", "1,180": at most three decimals, none from 100 on
std::string real_text(double value);
// "2026-11-21T10:00:00.123Z" of nanoseconds since 1970.
std::string wall_text(std::int64_t nanoseconds);

}  // namespace polytrace::base
