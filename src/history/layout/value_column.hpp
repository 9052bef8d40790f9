// SPDX-License-Identifier: Apache-2.0
// Writes values, or none, as columns: of a block's changes and of a group's states
// (docs/formats/state-history.md, "SEGM").
#pragma once

#include <span>

#include "base/frames/bits.hpp"
#include "base/io/appender.hpp"
#include "history/layout/segment_layout.hpp"
#include "history/layout/state.hpp"

namespace polytrace::history {

// The least of some numbers and how far the most lies above it.
struct Column {
  std::uint64_t least = 0;
  std::uint64_t range = 0;
  unsigned width = 0;  // bits that the range takes
  bool any = false;    // there are such numbers

  // Of those that have a value by their tags. As signed numbers or as unsigned ones.
  static Column of(std::span<const std::uint64_t> numbers, std::span<const Tag> tags,
                   bool is_signed) {
    return of(
        numbers.size(), is_signed, [&](std::size_t i) { return numbers[i]; },
        [&](std::size_t i) { return presence_of(tags[i]) == Presence::value; });
  }
  template <class Get>
  static Column of(std::size_t count, bool is_signed, Get get) {
    return of(count, is_signed, get, [](std::size_t) { return true; });
  }

 private:
  template <class Get, class Has>
  static Column of(std::size_t count, bool is_signed, Get get, Has has);
};

// The values of a block or group as a column. Numbers below `special` stand for null (special - 1)
// and absent (special - 2), others for the least value and up.
struct ValueColumn {
  std::uint64_t least = 0;
  unsigned width = 0;
  unsigned special = 0;
  unsigned form = 0;  // 0, a scale, or kCodesForm

  // `special`: 0, or the highest Presence among the tags.
  static ValueColumn of(std::span<const std::uint64_t> values, std::span<const Tag> tags,
                        TypeCode code, unsigned special);
  void put(base::Appender& to, std::span<const std::uint64_t> values,
           std::span<const Tag> tags) const;
};

template <class Get, class Has>
Column Column::of(std::size_t count, bool is_signed, Get get, Has has) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const std::uint64_t flip = is_signed ? kSign : 0;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t value = get(i) ^ flip;
    const std::uint64_t none = has(i) ? 0 : ~std::uint64_t{0};
    least = std::min(least, value | none);
    most = std::max(most, value & ~none);
  }
  if (least > most) return {};
  return {least ^ flip, most - least, base::width_of(most - least), true};
}

}  // namespace polytrace::history
