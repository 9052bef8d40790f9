// SPDX-License-Identifier: Apache-2.0
// The rows of a segment as they are collected: one column of numbers for each field. One thread at
// a time.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "store/build/number_array.hpp"
#include "store/file/row_layout.hpp"

namespace polytrace::store {

// The numbers of the rows that tell a field, and which rows these are.
class Told {
 public:
  // REQUIRES: row < kMostRows, later ones behind earlier ones.
  void add(u32 row, u64 number) {
    if (rows_.size() <= row / 64) [[unlikely]]
      rows_.resize(std::max<std::size_t>(2 * rows_.size(), row / 64 + 1));
    rows_[row / 64] |= u64{1} << (row % 64);
    numbers_.push(number);
  }
  std::span<const u64> numbers() const { return {numbers_.data(), numbers_.size()}; }
  u32 count() const { return static_cast<u32>(numbers_.size()); }
  // One bit a row, at least as far as the last one that tells it.
  std::span<const u64> rows() const { return rows_; }
  bool tells(u32 row) const {
    return row / 64 < rows_.size() && (rows_[row / 64] >> (row % 64) & 1) != 0;
  }
  std::size_t bytes() const { return numbers_.size() * sizeof(u64) + rows_.size() * sizeof(u64); }
  // Keeps its memory.
  void clear() {
    numbers_.clear();
    rows_.clear();
  }

 private:
  NumberArray<u64> numbers_;
  std::vector<u64> rows_;
};

// Lists, element by element, as one column for each member of an element.
struct ToldLists {
  Told lengths;
  std::array<NumberArray<u64>, kMostMembers> members;
  u32 width = 1;  // members that there are

  std::size_t elements() const { return members[0].size(); }
  std::size_t bytes() const { return lengths.bytes() + elements() * width * sizeof(u64); }
  void clear() {
    lengths.clear();
    for (auto& member : members) member.clear();
  }
};

struct FieldColumns {
  Told numbers;      // of a stack its path; of what is no list the value
  ToldLists lists;   // of a stack the frames, where they are no path
  ToldLists places;  // of a stack

  std::size_t bytes() const { return numbers.bytes() + lists.bytes() + places.bytes(); }
  void clear() {
    numbers.clear();
    lists.clear();
    places.clear();
  }
};

class RowColumns {
 public:
  explicit RowColumns(event::Kind kind) : kind_(kind), fields_(fields_of(kind).size()) {
    const auto infos = fields_of(kind);
    for (std::size_t i = 0; i < infos.size(); ++i) {
      fields_[i].lists.width = std::max(infos[i].members, u32{1});
      fields_[i].places.width = kPlaceMembers;
    }
  }

  event::Kind kind() const { return kind_; }
  u32 rows() const { return rows_; }
  base::Time least() const { return least_; }
  base::Time greatest() const { return greatest_; }
  bool full() const { return rows_ == kMostRows || elements_ >= kManyElements; }
  // Looks at each column.
  std::size_t bytes() const;
  // For the next segment, which takes as much memory for granted as this one took.
  void clear() {
    for (Told& column : own_) column.clear();
    for (FieldColumns& field : fields_) field.clear();
    rows_ = 0;
    elements_ = 0;
    least_ = kLatest;
    greatest_ = kEarliest;
  }

  // Of one of the fields that the catalogue does not have. REQUIRES: k...Field.
  Told& own(u16 field) { return own_[std::size_t{kTimeField} - field]; }
  const Told& own(u16 field) const { return own_[std::size_t{kTimeField} - field]; }
  FieldColumns& field(u32 number) { return fields_[number]; }
  const FieldColumns& field(u32 number) const { return fields_[number]; }

  // Ends the row that was filled in.
  void next_row(base::Time time) {
    least_ = std::min(least_, time);
    greatest_ = std::max(greatest_, time);
    ++rows_;
  }
  void add_elements(std::size_t count) { elements_ += count; }

 private:
  static constexpr base::Time kLatest = std::numeric_limits<base::Time>::max();
  static constexpr base::Time kEarliest = std::numeric_limits<base::Time>::min();
  static constexpr u64 kManyElements = u64{1} << 18;
  static constexpr std::size_t kOwn = kTimeField - kMovedField + 1;

  event::Kind kind_;
  u32 rows_ = 0;
  u64 elements_ = 0;
  base::Time least_ = kLatest;
  base::Time greatest_ = kEarliest;
  std::array<Told, kOwn> own_;
  std::vector<FieldColumns> fields_;
};

inline std::size_t RowColumns::bytes() const {
  std::size_t sum = 0;
  for (const Told& column : own_) sum += column.bytes();
  for (const FieldColumns& field : fields_) sum += field.bytes();
  return sum;
}

}  // namespace polytrace::store
