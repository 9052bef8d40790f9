// SPDX-License-Identifier: Apache-2.0
// Rows of one kind in columns, in the source's order: of a stretch of time and of some threads.
// Columns hold numbers as files do (file/row_layout.hpp): times and ids as they are, texts, paths
// and things by their number, reals by their bits; none_of() where a row does not tell, and for a
// subject that has no id.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "store/ask/calls/range.hpp"
#include "store/read/index_frames.hpp"

namespace polytrace::store {

inline constexpr std::size_t kPageRows = 4096;

// Beside those of file/row_layout.hpp: the path that a row tells, else that of the calls which were
// open in its thread.
inline constexpr u16 kPathField = 0xfff0;

struct RowPage {
  std::span<const u64> rows;  // their numbers among all of the kind, at most kPageRows
  std::vector<std::span<const u64>> columns;  // as they were asked for, by row
};
// Where a row does not tell the field.
u64 none_of(event::Kind kind, u16 field);

// One thread at a time; others may scan the same index.
class RowScan {
 public:
  // `fields`: numbers of the catalogue (field_number()), k...Field; none that is a list. A thread's
  // rows are those of its stream. The frames must outlive it; so must what the range points to.
  RowScan(const IndexFrames& frames, event::Kind kind, Range range, std::vector<u16> fields);

  // Null: there are no more. What it gives lives until it is called again. Errors: those of frames
  // and segments; value_unexpected for a field that is a list; limit_exceeded when asked to stop.
  base::result<const RowPage*> next();

 private:
  base::result<bool> next_segment();
  base::result<void> read_columns();
  base::result<std::span<const u64>> column(u16 field);
  base::result<std::span<const u64>> subject_column();
  base::result<std::span<const u64>> path_column();
  base::result<std::span<const u64>> told_path(u16 field);
  std::size_t place_of(u16 field) const;
  void choose();
  void fill_page();

  const IndexFrames& frames_;
  event::Kind kind_;
  Range range_;  // threads in order
  std::vector<u16> fields_;
  std::size_t next_ = 0;  // segment
  std::optional<RowView> view_;
  std::vector<std::span<const u64>> columns_;  // of the segment
  std::vector<std::vector<u64>> made_;         // of columns that no segment has
  std::vector<u32> chosen_;                    // rows of the segment
  std::size_t done_ = 0;                       // of chosen_
  std::vector<u64> numbers_;
  std::vector<std::vector<u64>> gathered_;
  RowPage page_;
};

using RowVisitor = std::function<void(const RowPage&)>;
// All of a scan. Errors: as RowScan::next().
base::result<void> scan_rows(const IndexFrames& frames, event::Kind kind, const Range& range,
                             std::vector<u16> fields, const RowVisitor& visit);

}  // namespace polytrace::store
