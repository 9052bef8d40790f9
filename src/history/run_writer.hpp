// SPDX-License-Identifier: Apache-2.0
// One timeline's changes within a segment as bytes: a run of blocks
// (docs/formats/state-history.md, "Runs").
#pragma once

#include <span>

#include "base/appender.hpp"
#include "history/bits.hpp"
#include "history/segment_layout.hpp"
#include "history/state.hpp"

namespace polytrace::history {

inline constexpr unsigned kMostScale = 4;  // doubles as integers over 10^1 .. 10^4
inline constexpr double kScales[kMostScale + 1]{1, 10, 100, 1000, 10000};

// Whether a class keeps its least value as a signed number.
constexpr bool is_signed_class(TypeCode code) { return code == code_of(Type::integer); }

// Appends the run. REQUIRES: at least one change, times ascending from `first` on.
void put_run(base::Appender& to, std::span<const Change> changes, Tick first, TypeCode code);

// The least of the values and the bits that their distances from it take.
struct Column {
  std::uint64_t least = 0;
  unsigned width = 0;

  template <class Get>
  static Column of(std::size_t count, bool is_signed, Get get);
};

template <class Get>
Column Column::of(std::size_t count, bool is_signed, Get get) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if (count == 0) return {};
  const std::uint64_t flip = is_signed ? kSign : 0;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t value = get(i) ^ flip;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return {least ^ flip, width_of(most - least)};
}

}  // namespace polytrace::history
