// SPDX-License-Identifier: Apache-2.0
#include "store/read/block_parts.hpp"

#include "base/codes.hpp"
#include "base/frames/svb.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::store {

using base::Bytes;
using base::Code;

namespace {

bool is_possible(const BlockHead& head) {
  return head.events <= kBlockEvents && head.enters <= head.events && head.locals != 0 &&
         head.locals <= kMostLocals && head.local < head.locals && head.fewest <= head.open &&
         head.open - head.fewest == head.local;
}

}  // namespace

base::result<void> BlockParts::open(Bytes payload) {
  base::Cursor cursor(payload, 0);
  head_ = cursor.fixed<BlockHead>();
  if (!cursor.ok()) return base::fail(cursor.fault_code());
  if (!is_possible(head_)) return base::fail(Code::value_unexpected, "head of a block");
  if (!cursor.fits(head_.columns, sizeof(BlockColumnHead))) return base::fail(cursor.fault_code());
  Bytes bodies(cursor.at(), cursor.left());
  bodies = bodies.subspan(head_.columns * sizeof(BlockColumnHead));
  for (std::uint32_t i = 0; i < head_.columns; ++i) {
    const auto column = cursor.fixed<BlockColumnHead>();
    if (column.stored > bodies.size()) return base::fail(Code::field_past_end);
    // What a later version may add is left alone.
    if (column.number < parts_.size())
      parts_[column.number] = {bodies.first(column.stored), column.coding, column.raw};
    bodies = bodies.subspan(column.stored);
  }
  return {};
}

base::result<Bytes> BlockParts::get(BlockColumn column, base::RawArray<std::byte>& into) const {
  // Of all columns none takes more: two numbers of ten bytes and a mark for each event.
  constexpr std::size_t kMost = std::size_t{kMostLocals} * 5 * 10;
  const Part& part = of(column);
  if (part.stored.data() == nullptr) return Bytes{};
  const auto raw = base::read_coded(part.stored, part.coding, kMost, into);
  if (!raw) return raw;
  if (raw->size() != part.raw) return base::fail(Code::value_unexpected, "length of a column");
  return raw;
}

}  // namespace polytrace::store
