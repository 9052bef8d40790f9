// SPDX-License-Identifier: Apache-2.0
#include "history/write/times_writer.hpp"

#include <algorithm>

#include "history/layout/bits.hpp"

namespace polytrace::history {
namespace {

TimeShape with_low_bits(std::uint64_t last, std::size_t count, unsigned low_bits) {
  return {low_bits, static_cast<unsigned>(packed_bytes((last >> low_bits) + count, 1))};
}

std::size_t size_of(TimeShape shape, std::size_t count) {
  return shape.high_bytes + packed_bytes(count, shape.low_bits);
}

}  // namespace

TimeShape TimeShape::of(std::uint64_t last, std::size_t count) {
  if (count == 0) return {};
  const unsigned width = std::min(width_of(last / count), kMostBits - 1);
  const TimeShape more = with_low_bits(last, count, width == 0 ? 0 : width - 1);
  const TimeShape less = with_low_bits(last, count, width);
  return size_of(less, count) < size_of(more, count) ? less : more;
}

void put_times(base::Appender& to, std::span<const std::uint64_t> distances, TimeShape shape) {
  std::byte* const highs = to.extend(shape.high_bytes);
  std::memset(highs, 0, shape.high_bytes);
  for (std::size_t i = 0; i < distances.size(); ++i)
    set_bit(highs, (distances[i] >> shape.low_bits) + i);
  const std::uint64_t lows = ~(~std::uint64_t{0} << shape.low_bits);
  pack(to, distances.size(), shape.low_bits, [&](std::size_t i) { return distances[i] & lows; });
}

}  // namespace polytrace::history
