// SPDX-License-Identifier: Apache-2.0
#include "history/write/run_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/frames/bits.hpp"

namespace polytrace::history {
namespace {

TimeShape with_low_bits(std::uint64_t last, std::size_t count, unsigned low_bits) {
  return {low_bits, static_cast<unsigned>(base::packed_bytes((last >> low_bits) + count, 1))};
}

std::size_t size_of(TimeShape shape, std::size_t count) {
  return shape.high_bytes + base::packed_bytes(count, shape.low_bits);
}

}  // namespace

TimeShape TimeShape::of(std::uint64_t last, std::size_t count) {
  if (count == 0) return {};
  const unsigned width = std::min(base::width_of(last / count), base::kMostBits - 1);
  const TimeShape more = with_low_bits(last, count, width == 0 ? 0 : width - 1);
  const TimeShape less = with_low_bits(last, count, width);
  return size_of(less, count) < size_of(more, count) ? less : more;
}

void put_times(base::Appender& to, std::span<const std::uint64_t> distances, TimeShape shape) {
  std::byte* const highs = to.extend(shape.high_bytes);
  std::memset(highs, 0, shape.high_bytes);
  for (std::size_t i = 0; i < distances.size(); ++i)
    base::set_bit(highs, (distances[i] >> shape.low_bits) + i);
  const std::uint64_t lows = ~(~std::uint64_t{0} << shape.low_bits);
  base::pack(to, distances.size(), shape.low_bits,
             [&](std::size_t i) { return distances[i] & lows; });
}

namespace {

using Changes = std::span<const Change>;

// What the changes of a block amount to, gathered in one pass.
struct Gathered {
  std::array<std::uint64_t, kBlock> values;
  std::array<std::uint64_t, kBlock> distances;  // of the times, from the first change's
  std::array<Tag, kBlock> tags;
  std::size_t count = 0;
  unsigned special = 0;  // 0, or what kinds of no value there are: up to null, up to absent
};

void gather(Changes changes, Gathered& all) {
  const Tick first = changes[0].time;
  all.count = changes.size();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Tag tag = changes[i].tag();
    all.values[i] = changes[i].payload;
    all.distances[i] = base::ticks_between(first, changes[i].time);
    all.tags[i] = tag;
    all.special = std::max(all.special, static_cast<unsigned>(presence_of(tag)));
  }
}

// The double as an integer over `scale`, when that gives the same bits back.
bool scaled(std::uint64_t bits, double scale, std::uint64_t& whole) {
  constexpr double kMost = 9007199254740992.0;  // 2^53
  const double number = std::nearbyint(std::bit_cast<double>(bits) * scale);
  if (!(std::fabs(number) < kMost)) return false;
  whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
  return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(number)) /
                                      scale) == bits;
}

// Puts integers in place of doubles where all of them allow it; the exponent, or 0. What is no
// value counts as 0.
unsigned scale_doubles(Gathered& all, unsigned raw_width) {
  std::array<std::uint64_t, kBlock> whole;
  for (unsigned exponent = 1; exponent <= kMostScale; ++exponent) {
    std::size_t done = 0;
    while (done < all.count && scaled(all.values[done], kScales[exponent], whole[done])) ++done;
    if (done < all.count) continue;
    if (Column::of({whole.data(), all.count}, {all.tags.data(), all.count}, true).width >=
        raw_width)
      return 0;
    std::copy_n(whole.begin(), all.count, all.values.begin());
    return exponent;
  }
  return 0;
}

void put_part(base::Appender& to, std::uint64_t number, unsigned bytes) {
  std::memcpy(to.extend(sizeof number), &number, sizeof number);
  to.shrink(to.size() - sizeof number + bytes);
}

unsigned bytes_of(std::uint64_t number) {
  const unsigned bytes = (base::width_of(number) + 7) / 8;
  return BlockHead::length_of(BlockHead::length_code(bytes));
}

// The first change's time counts from `base`.
void put_block(base::Appender& to, Changes changes, Tick base, TypeCode code) {
  Gathered all;
  gather(changes, all);
  const std::span values(all.values.data(), all.count);
  const std::span tags(all.tags.data(), all.count);
  bool is_signed = is_signed_class(code);
  // A timeline that has no type yet may become one of any, which is read by codes only.
  const TypeCode read_as = code == kOpenCode ? kAnyCode : code;
  ValueColumn column = ValueColumn::of(values, tags, read_as, all.special);
  if (code == code_of(Type::real) && column.form == 0) {
    const unsigned scale = scale_doubles(all, column.width);
    if (scale != 0) {
      is_signed = true;
      const Column whole = Column::of(values, tags, true);
      column = {whole.least, base::width_of(whole.range + all.special), all.special, scale};
    }
  }
  const TimeShape shape = TimeShape::of(all.distances[all.count - 1], all.count - 1);
  const std::uint64_t offset = base::ticks_between(base, changes[0].time);
  const std::uint64_t least =
      is_signed ? base::zigzag(static_cast<std::int64_t>(column.least)) : column.least;
  const BlockHead head{.count = static_cast<unsigned>(all.count),
                       .low_bits = shape.low_bits,
                       .special = column.special,
                       .value_bits = column.width,
                       .form = column.form,
                       .first_bytes = bytes_of(offset),
                       .least_bytes = bytes_of(least),
                       .high_bytes = shape.high_bytes};
  put_part(to, head.pack(), BlockHead::kBytes);
  put_part(to, offset, head.first_bytes);
  put_part(to, least, head.least_bytes);
  put_times(to, std::span(all.distances).first(all.count).subspan(1), shape);
  column.put(to, values, tags);
}

}  // namespace

void put_run(base::Appender& to, Changes changes, Tick first, TypeCode code) {
  if (changes.size() <= kBlock) return put_block(to, changes, first, code);
  const std::size_t blocks = (changes.size() + kBlock - 1) / kBlock;
  to.fixed(static_cast<std::uint32_t>(kSeveral | blocks << kSeveralShift));
  const std::size_t skips = to.size();
  to.extend(blocks * kSkipSize);
  for (std::size_t i = 0; i < blocks; ++i) {
    const Changes part = changes.subspan(i * kBlock, std::min(kBlock, changes.size() - i * kBlock));
    const auto offset = static_cast<std::uint32_t>(to.size() - skips);
    base::patch(to, skips + i * kSkipSize, part[0].time);
    base::patch(to, skips + i * kSkipSize + sizeof(Tick), offset);
    put_block(to, part, part[0].time, code);
  }
}

}  // namespace polytrace::history
