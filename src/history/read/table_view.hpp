// SPDX-License-Identifier: Apache-2.0
// Reads entry and exit tables in place (docs/formats/state-history.md, "Tables"). Everything is
// tested once, when a table is opened; what was tested is kept, so that an answer costs no test.
// REQUIRES: kReadable bytes behind.
#pragma once

#include <array>
#include <vector>

#include "base/types.hpp"
#include "history/layout/bits.hpp"
#include "history/layout/key_list.hpp"
#include "history/layout/segment_layout.hpp"

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
  Tick next(std::uint32_t i) const { return tick_after(least_, bits_at(at_, i, bits_)); }

 private:
  const std::byte* at_ = nullptr;
  Tick least_ = 0;
  unsigned bits_ = 0;
};

using EntryTable = Table<EntryGroup>;
using ExitTable = Table<ExitGroup>;

inline State EntryGroup::state(std::uint32_t i) const {
  const Tick start = tick_after(least_start_, bits_at(starts_, i, start_bits_));
  const std::uint64_t raw = bits_at(values_, i, value_bits_);
  if (raw < special_) return {start, 0, static_cast<Tag>(special_ - raw)};
  const std::uint64_t payload = least_ + (raw - special_);
  if (codes_ == nullptr) return {start, payload, tag_};
  return coded_state(start, payload, static_cast<unsigned>(codes_[i]));
}

}  // namespace polytrace::history
