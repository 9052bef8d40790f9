// SPDX-License-Identifier: Apache-2.0
#include "history/read/segment_view.hpp"

#include <algorithm>

#include "base/io/cursor.hpp"

namespace polytrace::history {

using base::load_le;

template <class Group>
bool Table<Group>::open(base::Bytes table) {
  classes_ = {};
  groups_.clear();
  base::Cursor in(table, 0);
  const auto count = in.fixed<std::uint32_t>();
  if (!in.fits(count, kClassHead)) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto code = in.fixed<std::uint32_t>();
    const auto slots = in.fixed<std::uint32_t>();
    const auto heads = in.fixed<std::uint32_t>();
    if (code > kMostCode && code != kOpenCode) return false;
    if (!take_class(table, static_cast<TypeCode>(code), slots, heads)) return false;
  }
  return true;
}

template <class Group>
bool Table<Group>::take_class(base::Bytes table, TypeCode code, std::uint32_t slots,
                              std::uint32_t heads) {
  const std::size_t groups = (std::size_t{slots} + kBlock - 1) / kBlock;
  if (heads > table.size() || (table.size() - heads) / Group::kHead < groups) return false;
  Class& known = classes_[class_of(code)];
  if (known.slots != 0) return false;
  known = {slots, static_cast<std::uint32_t>(groups_.size())};
  for (std::size_t i = 0; i < groups; ++i) {
    const std::size_t count = std::min(kBlock, slots - i * kBlock);
    if (!groups_.emplace_back().open(table, table.data() + heads + i * Group::kHead,
                                     static_cast<std::uint32_t>(count), code))
      return false;
  }
  return true;
}

bool EntryGroup::open(base::Bytes table, const std::byte* head, std::uint32_t count,
                      TypeCode code) {
  const auto offset = load_le<std::uint32_t>(head + 16);
  const auto form = static_cast<unsigned>(head[23]);
  least_start_ = load_le<Tick>(head);
  least_ = load_le<std::uint64_t>(head + 8);
  start_bits_ = static_cast<unsigned>(head[20]);
  value_bits_ = static_cast<std::uint8_t>(head[21]);
  special_ = static_cast<std::uint8_t>(head[22]);
  tag_ = tag_of(code & kMostCode);
  if (start_bits_ > base::kMostBits || value_bits_ > base::kMostBits || special_ > 2 ||
      (form != 0 && form != kCodesForm) || (code == kAnyCode && form == 0))
    return false;
  const std::uint64_t start_bytes = base::packed_bytes(count, start_bits_);
  const std::uint64_t code_bytes = form == kCodesForm ? count : 0;
  if (offset > table.size() ||
      table.size() - offset < start_bytes + code_bytes + base::packed_bytes(count, value_bits_))
    return false;
  const std::byte* const at = table.data() + offset;
  starts_ = at;
  codes_ = form == kCodesForm ? at + start_bytes : nullptr;
  values_ = at + start_bytes + code_bytes;
  return true;
}

bool ExitGroup::open(base::Bytes table, const std::byte* head, std::uint32_t count, TypeCode) {
  const auto offset = load_le<std::uint32_t>(head + 8);
  least_ = load_le<Tick>(head);
  bits_ = static_cast<unsigned>(head[12]);
  if (bits_ > base::kMostBits || offset > table.size() ||
      table.size() - offset < base::packed_bytes(count, bits_))
    return false;
  at_ = table.data() + offset;
  return true;
}

template class Table<EntryGroup>;
template class Table<ExitGroup>;

bool SegmentView::open(base::Bytes payload) {
  if (payload.size() < kSegmentHead) return false;
  payload_ = payload;
  base::Cursor in(payload, 0);
  first_ = in.fixed<Tick>();
  last_ = in.fixed<Tick>();
  changes_ = in.fixed<std::uint64_t>();
  keys_ = in.fixed<std::uint32_t>();
  active_ = in.fixed<std::uint32_t>();
  directory_ = in.fixed<std::uint32_t>();
  const auto entries = in.fixed<std::uint32_t>();
  runs_ = in.fixed<std::uint32_t>();
  const auto flags = in.fixed<std::uint32_t>();
  sparse_ = (flags & kSparseFlag) != 0;
  const std::uint64_t directory = (sparse_ ? std::uint64_t{active_} * 2 : keys_) * 4;
  if (directory_ > payload.size() || last_ < first_) return false;
  if ((flags & ~kSparseFlag) != 0) return false;
  if (entries > runs_ || runs_ > payload.size() || payload.size() - directory_ < directory)
    return false;
  return entries_.open(payload.subspan(entries, runs_ - entries));
}

std::uint32_t SegmentView::run_of(Key key) const {
  std::size_t low = 0;
  for (std::size_t size = sparse_ ? active_ : 0; size > 0;) {
    const std::size_t half = size / 2;
    const bool behind = directory(low + half) < key;
    low += behind ? half + 1 : 0;
    size = behind ? size - half - 1 : half;
  }
  return run_of(key, low);
}

}  // namespace polytrace::history
