// SPDX-License-Identifier: Apache-2.0
// What notes and headlines share beside base/text/figure_text.hpp. Cells of tables stay plain
// numbers.
#pragma once

#include <cstdint>
#include <string>

namespace polytrace::analysis {

// "34.1 %", "0 %" of nothing
std::string share_text(std::uint64_t part, std::uint64_t whole);

// What is said where runtime helpers are not shown.
std::string helpers_note(std::uint64_t calls, std::uint64_t self);

// In percent; 0 of nothing.
double share(std::uint64_t part, std::uint64_t whole);

}  // namespace polytrace::analysis
