// SPDX-License-Identifier: Apache-2.0
#include "history/run_writer.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace polytrace::history {
namespace {

using Changes = std::span<const Change>;

// What the changes of a block amount to, gathered in one pass.
struct Gathered {
  std::array<std::uint64_t, kBlock> values;  // of those that have one
  std::array<TypeCode, kBlock> codes;
  std::size_t count = 0;
  bool any_absent = false;
  std::uint64_t longest = 0;  // time delta
};

Gathered gather(Changes changes) {
  Gathered all;
  Tick before = changes[0].time;
  for (const Change& change : changes) {
    all.longest |= ticks_between(before, change.time);
    before = change.time;
    const Tag tag = change.tag();
    all.values[all.count] = change.payload;
    all.codes[all.count] = type_of(tag);
    all.count += presence_of(tag) == Presence::value ? 1U : 0U;
    all.any_absent |= presence_of(tag) == Presence::absent;
  }
  return all;
}

unsigned presence_kind(const Gathered& all, std::size_t changes) {
  if (all.any_absent) return 3;
  if (all.count == changes) return 0;
  return all.count == 0 ? 1 : 2;
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

// Puts integers in place of doubles where all of them allow it; the exponent, or 0.
unsigned scale_doubles(Gathered& all, unsigned raw_width) {
  std::array<std::uint64_t, kBlock> whole;
  const auto get = [&](std::size_t i) { return whole[i]; };
  for (unsigned exponent = 1; exponent <= kMostScale; ++exponent) {
    std::size_t done = 0;
    while (done < all.count && scaled(all.values[done], kScales[exponent], whole[done])) ++done;
    if (done < all.count) continue;
    if (Column::of(all.count, true, get).width >= raw_width) return 0;
    std::copy_n(whole.begin(), all.count, all.values.begin());
    return exponent;
  }
  return 0;
}

void put_bitmap(base::Appender& to, Changes changes, Presence wanted) {
  const std::size_t bytes = packed_bytes(changes.size(), 1);
  std::byte* const bitmap = to.extend(bytes);
  std::memset(bitmap, 0, bytes);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (presence_of(changes[i].tag()) == wanted) set_bit(bitmap, i);
  }
}

void put_block(base::Appender& to, Changes changes, Tick first, TypeCode code) {
  Gathered all = gather(changes);
  const unsigned time_bits = width_of(all.longest);
  const unsigned presence = presence_kind(all, changes.size());
  const auto get = [&](std::size_t i) { return all.values[i]; };
  bool is_signed = is_signed_class(code);
  unsigned scale = 0;
  Column column{.least = 0, .width = code == kAnyCode ? kMostBits : 0};
  if (code != kAnyCode) column = Column::of(all.count, is_signed, get);
  if (code == code_of(Type::real) && all.count != 0) {
    scale = scale_doubles(all, column.width);
    is_signed = scale != 0;
    if (is_signed) column = Column::of(all.count, true, get);
  }
  to.byte(static_cast<std::uint8_t>(time_bits));
  to.byte(static_cast<std::uint8_t>(column.width));
  to.byte(static_cast<std::uint8_t>(presence | scale << 2));
  to.uleb(ticks_between(first, changes[0].time));
  to.uleb(is_signed ? zigzag(static_cast<std::int64_t>(column.least)) : column.least);
  if (presence == 3) put_bitmap(to, changes, Presence::absent);
  if (presence >= 2) put_bitmap(to, changes, Presence::null);
  pack(to, changes.size() - 1, time_bits,
       [&](std::size_t i) { return ticks_between(changes[i].time, changes[i + 1].time); });
  if (code == kAnyCode) {
    for (std::size_t i = 0; i < all.count; ++i) to.byte(all.codes[i]);
  }
  pack(to, all.count, column.width, [&](std::size_t i) { return all.values[i] - column.least; });
}

}  // namespace

void put_run(base::Appender& to, Changes changes, Tick first, TypeCode code) {
  to.uleb(changes.size());
  if (changes.size() <= kBlock) return put_block(to, changes, first, code);
  const std::size_t blocks = (changes.size() + kBlock - 1) / kBlock;
  const std::size_t skips = to.size();
  to.extend(blocks * kSkipSize);
  for (std::size_t i = 0; i < blocks; ++i) {
    const Changes part = changes.subspan(i * kBlock, std::min(kBlock, changes.size() - i * kBlock));
    const auto offset = static_cast<std::uint32_t>(to.size() - skips);
    patch(to, skips + i * kSkipSize, part[0].time);
    patch(to, skips + i * kSkipSize + sizeof(Tick), offset);
    put_block(to, part, first, code);
  }
}

}  // namespace polytrace::history
