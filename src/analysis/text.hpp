// SPDX-License-Identifier: Apache-2.0
// Figures as people read them, for notes and headlines. Cells of tables stay plain numbers.
#pragma once

#include <cstdint>
#include <string>

#include "base/types.hpp"

namespace polytrace::analysis {

// "0 ns", "312 ns", "4.12 us", "27.3 ms", "1.04 s"
std::string duration_text(std::uint64_t nanoseconds);
// "17 B", "4.20 KiB", "286 MiB"
std::string bytes_text(std::uint64_t bytes);
// "1 call", "2 calls", "77,412,001 calls"
std::string count_text(std::uint64_t count, const char* one, const char* many);
// "34.1 %", "0 %" of nothing
std::string share_text(std::uint64_t part, std::uint64_t whole);

// What is said where runtime helpers are not shown.
std::string helpers_note(std::uint64_t calls, std::uint64_t self);

// In percent; 0 of nothing.
double share(std::uint64_t part, std::uint64_t whole);
// Nanoseconds, whatever the times; 0 when `to` is earlier.
std::uint64_t elapsed(base::Time from, base::Time to);

}  // namespace polytrace::analysis
