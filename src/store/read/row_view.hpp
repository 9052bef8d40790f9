// SPDX-License-Identifier: Apache-2.0
// A row segment (file/row_layout.hpp), for scans by column and as events. It may be damaged:
// whatever the bytes, opening and reading give an answer or an error.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "event/batch.hpp"
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

// What numbers in rows stand for. Any number may be asked for: of one that stands for nothing,
// kNoId, no text, no frames. Thread-safe.
class RowMeanings {
 public:
  virtual ~RowMeanings() = default;
  virtual base::Id thread(u64 index) const = 0;
  // `number` as RowEncoder::add() had it, where it was one.
  virtual base::Id subject(event::Kind kind, u64 number) const = 0;
  virtual base::Id class_id(u64 index) const = 0;
  virtual std::string_view text(u64 id) const = 0;
  // Appends them, outermost first; of more than base::Limits::stack_depth the innermost.
  virtual void frames(u64 path, std::vector<base::Id>& to) const = 0;
};

// Whether events have what the source did not tell.
enum class DerivedFields : u8 { left_out, told };

// One thread at a time.
class RowView {
 public:
  // `payload` must outlive it. Errors: value_unexpected, field_past_end, count_too_large,
  // trailing_bytes.
  static base::result<RowView> open(base::Bytes payload);
  RowView(RowView&&) = default;
  RowView& operator=(RowView&&) = default;

  event::Kind kind() const { return kind_; }
  u32 rows() const { return head_.rows; }
  u64 first_row() const { return head_.first_row; }
  base::Time least() const { return head_.least; }
  base::Time greatest() const { return head_.greatest; }
  std::span<const ColumnEntry> columns() const { return entries_; }
  // Null where no row tells it. Its least and greatest are those of the rows that do.
  const ColumnEntry* find(u16 field) const;

  // --- by column: decoded on first use, kept as long as the view ---

  // By row; where a row does not tell it, none_of(field). Empty where no row does. No lists.
  // Errors: as read_numbers(), value_unexpected for what the field's type cannot hold.
  base::result<std::span<const u64>> numbers(u16 field);
  // Null where no row tells one. `field` of a stack: part_of(field, kFramesOf or kPlacesOf).
  base::result<const ListColumn*> lists(u16 field);
  u64 none_of(u16 field) const;

  // --- by row ---

  // Decodes all that events are made of.
  base::result<void> load(DerivedFields derived = DerivedFields::left_out);
  // REQUIRES: load() went well, row < rows(); room for its thread in `to` (Batch::kMaxThreads).
  void add(u32 row, const RowMeanings& meanings, event::Batch& to);

 private:
  struct Column {
    bool read = false;
    std::vector<u64> numbers;
    ListColumn lists;
  };
  // Of a field of the catalogue, where rows tell it.
  struct Loaded {
    std::span<const u64> numbers{};
    const ListColumn* lists = nullptr;
    const ListColumn* places = nullptr;
  };
  class EventMaker;

  explicit RowView(base::Bytes payload) : payload_(payload) {}
  base::result<void> read_head();
  base::result<void> find_columns(base::Bytes entries);
  base::Bytes bytes_of(const ColumnEntry& entry) const;
  ColumnType type_of(u16 field) const;
  u64 most_of(u16 field) const;
  u32 width_of(u16 field) const;
  bool is_plausible(const ColumnEntry& entry, std::span<const u64> numbers) const;
  base::result<RowSet> rows_with(u16 field) const;
  base::result<void> read_column(const ColumnEntry& entry, Column& column) const;
  base::result<void> read_by_row(const ColumnEntry& entry, Column& column) const;
  base::result<void> load_own(DerivedFields derived);
  base::result<void> load_field(u16 number, const FieldInfo& info);

  base::Bytes payload_;
  RowHead head_{};
  event::Kind kind_{};
  std::vector<ColumnEntry> entries_;
  std::vector<std::size_t> begins_;  // in the payload, by entry
  std::vector<Column> columns_;      // by entry
  std::vector<Loaded> loaded_;       // by number of the field
  std::span<const u64> times_, threads_, subjects_, open_paths_, known_classes_;
  std::vector<base::Id> frames_;
};

}  // namespace polytrace::store
