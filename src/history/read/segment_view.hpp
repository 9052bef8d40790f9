// SPDX-License-Identifier: Apache-2.0
// Reads SEGM payloads in place. Bounds are tested when a view is opened and whenever a run is:
// damaged bytes give false, never a read outside. Entry and exit tables
// (docs/formats/state-history.md, "Tables") are tested once, when one is opened; what was tested is
// kept, so that an answer costs no test. REQUIRES: kReadable bytes behind.
#pragma once

#include <array>
#include <vector>

#include "base/frames/bits.hpp"
#include "base/types.hpp"
#include "history/layout/key_list.hpp"
#include "history/layout/segment_layout.hpp"
#include "history/read/run_view.hpp"

namespace polytrace::history {

// Groups of slots, class after class.
template <class Group>
class Table {
 public:
  bool open(base::Bytes table);
  // Slots of that class in the table.
  std::uint32_t slots(TypeCode code) const { return classes_[class_of(code)].slots; }
  // REQUIRES: slot < slots(code).
  const Group& group(TypeCode code, std::uint32_t slot) const {
    return groups_[classes_[class_of(code)].groups + slot / kBlock];
  }

 private:
  struct Class {
    std::uint32_t slots = 0;
    std::uint32_t groups = 0;  // where its groups begin
  };
  bool take_class(base::Bytes table, TypeCode code, std::uint32_t slots, std::uint32_t heads);

  std::array<Class, kClasses> classes_{};
  std::vector<Group> groups_{};
};

// States of up to kBlock timelines.
class EntryGroup {
 public:
  static constexpr std::size_t kHead = kEntryHead;
  // False when the bytes are none. `head` is in the table.
  bool open(base::Bytes table, const std::byte* head, std::uint32_t count, TypeCode code);
  State state(std::uint32_t i) const;

 private:
  const std::byte* starts_ = nullptr;
  const std::byte* codes_ = nullptr;  // or none
  const std::byte* values_ = nullptr;
  Tick least_start_ = 0;
  std::uint64_t least_ = 0;
  unsigned start_bits_ = 0;
  std::uint8_t value_bits_ = 0;
  std::uint8_t special_ = 0;
  Tag tag_ = 0;
};

// Next changes of as many.
class ExitGroup {
 public:
  static constexpr std::size_t kHead = kExitHead;
  bool open(base::Bytes table, const std::byte* head, std::uint32_t count, TypeCode code);
  void prefetch(std::uint32_t i) const { __builtin_prefetch(at_ + std::size_t{i} * bits_ / 8); }
  Tick next(std::uint32_t i) const {
    return base::tick_after(least_, base::bits_at(at_, i, bits_));
  }

 private:
  const std::byte* at_ = nullptr;
  Tick least_ = 0;
  unsigned bits_ = 0;
};

using EntryTable = Table<EntryGroup>;
using ExitTable = Table<ExitGroup>;

inline State EntryGroup::state(std::uint32_t i) const {
  const Tick start = base::tick_after(least_start_, base::bits_at(starts_, i, start_bits_));
  const std::uint64_t raw = base::bits_at(values_, i, value_bits_);
  if (raw < special_) return {start, 0, static_cast<Tag>(special_ - raw)};
  const std::uint64_t payload = least_ + (raw - special_);
  if (codes_ == nullptr) return {start, payload, tag_};
  return coded_state(start, payload, static_cast<unsigned>(codes_[i]));
}

class SegmentView {
 public:
  bool open(base::Bytes payload);

  Tick first() const { return first_; }
  Tick last() const { return last_; }
  std::uint64_t changes() const { return changes_; }
  // Where the timeline's run begins; 0 when it does not change in this segment.
  std::uint32_t run_of(Key key) const;
  // The same for timelines in order of keys: walks the directory, so that finding the runs of all
  // of them costs no search. `hint` begins at 0 and stays the caller's.
  std::uint32_t run_of(Key key, std::size_t& hint) const {
    if (!sparse_) return key < keys_ ? directory(key) : 0;
    while (hint < active_ && directory(hint) < key) ++hint;
    return hint < active_ && directory(hint) == key ? directory(active_ + hint) : 0;
  }
  // The run that begins there. False when it is damaged.
  bool open_run(std::uint32_t offset, TypeCode code, RunView& run) const {
    const std::byte* const at = payload_.data();
    return offset >= runs_ && offset < payload_.size() &&
           run.open({at + offset, at + payload_.size(), first_, code});
  }
  // Have the processor fetch the beginning of a run, of a timeline's run, and what tells where that
  // is; the latter two only where it costs no search.
  void prefetch_run(std::uint32_t offset) const {
    constexpr std::size_t kLine = 64;
    __builtin_prefetch(payload_.data() + offset);
    __builtin_prefetch(payload_.data() + offset + kLine);
  }
  void prefetch_run_of(Key key) const {
    if (!sparse_ && key < keys_) prefetch_run(directory(key));
  }
  void prefetch_directory(Key key) const {
    if (!sparse_ && key < keys_)
      __builtin_prefetch(payload_.data() + directory_ + key * sizeof(std::uint32_t));
  }
  // What holds before the first change, of a Line or KeyInfo.
  template <class Info>
  State entry(const Info& info, Tick start) const;

 private:
  std::uint32_t directory(std::size_t i) const {
    return base::load_le<std::uint32_t>(payload_.data() + directory_ + i * sizeof(std::uint32_t));
  }

  base::Bytes payload_;
  EntryTable entries_;
  Tick first_ = 0;
  Tick last_ = 0;
  std::uint64_t changes_ = 0;
  std::uint32_t keys_ = 0;
  std::uint32_t active_ = 0;
  std::uint32_t directory_ = 0;
  std::uint32_t runs_ = 0;
  bool sparse_ = false;
};

template <class Info>
State SegmentView::entry(const Info& info, Tick start) const {
  State state{start, 0, kNullTag};
  // A slot that was given later is not in this segment's table.
  if (info.slot < entries_.slots(info.code)) {
    state = entries_.group(info.code, info.slot).state(info.slot % kBlock);
  } else if (info.open_slot < entries_.slots(kOpenCode)) {
    state = entries_.group(kOpenCode, info.open_slot).state(info.open_slot % kBlock);
  }
  if (info.absent_first && state.start == start) state.tag = kAbsentTag;
  return state;
}

}  // namespace polytrace::history
