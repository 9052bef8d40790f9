// SPDX-License-Identifier: Apache-2.0
// Reads SEGM payloads in place. Bounds are tested when a view is opened and whenever a run is:
// damaged bytes give false, never a read outside. REQUIRES: kReadable bytes behind.
#pragma once

#include "history/read/run_view.hpp"
#include "history/read/table_view.hpp"

namespace polytrace::history {

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
