// SPDX-License-Identifier: Apache-2.0
// Writes the times of a block as times_view.hpp reads them.
#pragma once

#include <span>

#include "base/io/appender.hpp"

namespace polytrace::history {

// How ascending distances are cut into low and high bits.
struct TimeShape {
  unsigned low_bits = 0;
  unsigned high_bytes = 0;

  // The smaller of the two that may be the best for `count` distances up to `last`.
  static TimeShape of(std::uint64_t last, std::size_t count);
};

void put_times(base::Appender& to, std::span<const std::uint64_t> distances, TimeShape shape);

}  // namespace polytrace::history
