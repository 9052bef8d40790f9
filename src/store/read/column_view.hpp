// SPDX-License-Identifier: Apache-2.0
// Reads columns of a row segment, which may be damaged: what they claim is checked before memory is
// taken for it. Pure; any thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "store/file/row_layout.hpp"

namespace polytrace::store {

// Which rows tell a field.
class RowSet {
 public:
  // All of them.
  explicit RowSet(u32 rows = 0) : rows_(rows), count_(rows) {}
  // By a bitmap's bytes. Nothing if it is none of that many rows.
  static std::optional<RowSet> of(base::Bytes bitmap, u32 rows);

  bool all() const { return bits_.empty(); }
  bool has(u32 row) const { return all() || (bits_[row / 64] >> (row % 64) & 1) != 0; }
  u32 rows() const { return rows_; }
  u32 count() const { return count_; }

 private:
  u32 rows_;
  u32 count_;
  std::vector<u64> bits_;
};

// Errors of all: value_unexpected, field_past_end, count_too_large, compressed_damaged.

// The `count` numbers of a column that is no list and no bitmap; `into` holds nothing else then.
base::result<void> read_numbers(const ColumnEntry& entry, base::Bytes stored, u64 count,
                                std::vector<u64>& into);
base::result<RowSet> read_bitmap(const ColumnEntry& entry, base::Bytes stored, u32 rows);

// Lists by row.
struct ListColumn {
  RowSet told;
  std::vector<u32> begins;  // by row, and of the end: in each of `members`
  std::array<std::vector<u64>, kMostMembers> members;

  u32 begin(u32 row) const { return begins[row]; }
  u32 count(u32 row) const { return begins[row + 1] - begins[row]; }
};
// `width`: members of an element.
base::result<ListColumn> read_lists(const ColumnEntry& entry, base::Bytes stored, RowSet told,
                                    u32 width);

}  // namespace polytrace::store
