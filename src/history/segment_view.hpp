// SPDX-License-Identifier: Apache-2.0
// Reads SEGM payloads and exit tables in place. Bounds are tested when a view is opened and with
// each access: damaged bytes give false, never a read outside. REQUIRES: kReadable bytes behind.
#pragma once

#include <array>

#include "base/types.hpp"
#include "history/key_list.hpp"
#include "history/run_view.hpp"

namespace polytrace::history {

// An entry or exit table.
class TableView {
 public:
  bool open(base::Bytes table, std::size_t group_head);
  // Slots of that class in the table.
  std::uint32_t slots(TypeCode code) const { return classes_[class_of(code)].slots; }
  // REQUIRES: slot < slots(code), opened with the right group head.
  bool entry(TypeCode code, std::uint32_t slot, State& state) const;
  bool exit(TypeCode code, std::uint32_t slot, Tick& next) const;

 private:
  struct Class {
    std::uint32_t slots = 0;
    std::uint32_t heads = 0;
  };
  base::Bytes table_;
  std::array<Class, kClasses> classes_{};
};

class SegmentView {
 public:
  enum class Look : std::uint8_t { found, none, damaged };

  bool open(base::Bytes payload);

  Tick first() const { return first_; }
  Tick last() const { return last_; }
  std::uint64_t changes() const { return changes_; }
  // The timeline's run, if it changes in this segment.
  Look find(const KeyInfo& info, RunView& run) const;
  // What holds before the first change.
  bool entry(const KeyInfo& info, Tick start, State& state) const;

  // Walks the directory in order of keys, so that finding the runs of all timelines costs no
  // search: `hint` begins at 0 and stays the caller's.
  Look find_next(const KeyInfo& info, std::size_t& hint, RunView& run) const;

 private:
  Look open_run(const KeyInfo& info, std::uint32_t offset, RunView& run) const;
  std::uint32_t sparse_key(std::size_t i) const {
    return base::load_le<std::uint32_t>(payload_.data() + directory_ + i * sizeof(std::uint32_t));
  }

  base::Bytes payload_;
  TableView entries_;
  Tick first_ = 0;
  Tick last_ = 0;
  std::uint64_t changes_ = 0;
  std::uint32_t keys_ = 0;
  std::uint32_t active_ = 0;
  std::uint32_t directory_ = 0;
  std::uint32_t runs_ = 0;
  std::uint32_t block_ = 0;
  bool sparse_ = false;
};

}  // namespace polytrace::history
