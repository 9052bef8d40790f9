// SPDX-License-Identifier: Apache-2.0
#include "history/segment_view.hpp"

#include <algorithm>

#include "base/cursor.hpp"

namespace polytrace::history {
namespace {

using base::load_le;

std::uint32_t group_size(std::uint32_t slots, std::uint32_t group) {
  return std::min<std::uint32_t>(kBlock, slots - group * static_cast<std::uint32_t>(kBlock));
}

}  // namespace

bool TableView::open(base::Bytes table, std::size_t group_head) {
  table_ = table;
  classes_ = {};
  base::Cursor in(table, 0);
  const auto count = in.fixed<std::uint32_t>();
  if (!in.fits(count, kClassHead)) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto code = in.fixed<std::uint32_t>();
    const auto slots = in.fixed<std::uint32_t>();
    const auto heads = in.fixed<std::uint32_t>();
    const std::uint64_t groups = (std::uint64_t{slots} + kBlock - 1) / kBlock;
    if (heads > table.size() || (table.size() - heads) / group_head < groups) return false;
    if (code > kMostCode && code != kOpenCode) return false;
    classes_[class_of(static_cast<TypeCode>(code))] = {slots, heads};
  }
  return true;
}

bool TableView::entry(TypeCode code, std::uint32_t slot, State& state) const {
  const Class& of_type = classes_[class_of(code)];
  const auto group = static_cast<std::uint32_t>(slot / kBlock);
  const auto i = static_cast<std::uint32_t>(slot % kBlock);
  const std::uint32_t count = group_size(of_type.slots, group);
  const std::byte* const head = table_.data() + of_type.heads + std::size_t{group} * kEntryHead;
  const auto offset = load_le<std::uint32_t>(head + 16);
  const auto start_bits = static_cast<unsigned>(head[20]);
  const auto value_bits = static_cast<unsigned>(head[21]);
  const auto presence = static_cast<unsigned>(head[22]);
  if (start_bits > kMostBits || value_bits > kMostBits || presence > 3) return false;
  const std::uint64_t bitmap_bytes = presence < 2 ? 0 : kBitmapBytes * (presence - 1);
  const std::uint64_t start_bytes = packed_bytes(count, start_bits);
  const std::uint64_t code_bytes = code == kAnyCode ? count : 0;
  if (offset > table_.size() || table_.size() - offset < bitmap_bytes + start_bytes + code_bytes +
                                                             packed_bytes(count, value_bits))
    return false;
  const std::byte* at = table_.data() + offset;
  state = {0, 0, presence == 1 ? kNullTag : tag_of(code & kMostCode)};
  if (presence >= 2 && bit_at(at + bitmap_bytes - kBitmapBytes, i)) state.tag = kNullTag;
  if (presence == 3 && bit_at(at, i)) state.tag = kAbsentTag;
  at += bitmap_bytes;
  state.start = tick_after(load_le<Tick>(head), bits_at(at, i, start_bits));
  if (presence_of(state.tag) != Presence::value) return true;
  at += start_bytes;
  if (code == kAnyCode) state.tag = tag_of(static_cast<TypeCode>(at[i]) & kMostCode);
  state.payload = load_le<std::uint64_t>(head + 8) + bits_at(at + code_bytes, i, value_bits);
  return true;
}

bool TableView::exit(TypeCode code, std::uint32_t slot, Tick& next) const {
  const Class& of_type = classes_[class_of(code)];
  const auto group = static_cast<std::uint32_t>(slot / kBlock);
  const std::byte* const head = table_.data() + of_type.heads + std::size_t{group} * kExitHead;
  const auto offset = load_le<std::uint32_t>(head + 8);
  const auto bits = static_cast<unsigned>(head[12]);
  const std::uint64_t bytes = packed_bytes(group_size(of_type.slots, group), bits);
  if (bits > kMostBits || offset > table_.size() || table_.size() - offset < bytes) return false;
  next = tick_after(load_le<Tick>(head), bits_at(table_.data() + offset, slot % kBlock, bits));
  return true;
}

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
  block_ = in.fixed<std::uint16_t>();
  const auto flags = in.fixed<std::uint16_t>();
  sparse_ = (flags & kSparseFlag) != 0;
  const std::uint64_t directory = (sparse_ ? std::uint64_t{active_} * 2 : keys_) * 4;
  if (block_ == 0 || block_ > kBlock || directory_ > payload.size() || last_ < first_) return false;
  if (entries > runs_ || runs_ > payload.size() || payload.size() - directory_ < directory)
    return false;
  return entries_.open(payload.subspan(entries, runs_ - entries), kEntryHead);
}

SegmentView::Look SegmentView::open_run(const KeyInfo& info, std::uint32_t offset,
                                        RunView& run) const {
  if (offset == 0) return Look::none;
  if (offset < runs_ || offset >= payload_.size()) return Look::damaged;
  const RunView::Place place{payload_.data() + offset, payload_.data() + payload_.size(), first_,
                             info.code, block_};
  return run.open(place) ? Look::found : Look::damaged;
}

SegmentView::Look SegmentView::find(const KeyInfo& info, RunView& run) const {
  if (!sparse_) {
    if (info.key >= keys_) return Look::none;
    return open_run(info, sparse_key(info.key), run);
  }
  std::size_t low = 0;
  for (std::size_t size = active_; size > 0;) {
    const std::size_t half = size / 2;
    const bool behind = sparse_key(low + half) < info.key;
    low += behind ? half + 1 : 0;
    size = behind ? size - half - 1 : half;
  }
  return find_next(info, low, run);
}

SegmentView::Look SegmentView::find_next(const KeyInfo& info, std::size_t& hint,
                                         RunView& run) const {
  if (!sparse_) return find(info, run);
  while (hint < active_ && sparse_key(hint) < info.key) ++hint;
  if (hint == active_ || sparse_key(hint) != info.key) return Look::none;
  return open_run(info, sparse_key(active_ + hint), run);
}

bool SegmentView::entry(const KeyInfo& info, Tick start, State& state) const {
  bool good = true;
  // A slot that was given later is not in this segment's table.
  if (info.slot < entries_.slots(info.code)) {
    good = entries_.entry(info.code, info.slot, state);
  } else if (info.open_slot < entries_.slots(kOpenCode)) {
    good = entries_.entry(kOpenCode, info.open_slot, state);
  } else {
    state = {start, 0, kNullTag};
  }
  if (info.absent_first && state.start == start) state.tag = kAbsentTag;
  return good;
}

}  // namespace polytrace::history
