// SPDX-License-Identifier: Apache-2.0
// Collects the events of one kind (calls only where they have details) and makes row segments of
// them: file/row_layout.hpp. What is told comes back exactly; what is not told takes no room.
#pragma once

#include <memory>
#include <string>

#include "event/batch.hpp"
#include "store/build/rows/column_encoder.hpp"
#include "store/build/rows/row_columns.hpp"
#include "store/build/spare.hpp"

namespace polytrace::store {

// Gives texts numbers. Called by the thread that adds rows, for each text that is told.
class TextIds {
 public:
  virtual ~TextIds() = default;
  virtual std::uint32_t id(std::string_view text) = 0;
};

// The path of a stack.
struct StackPath {
  u64 number = kNone;
  bool is_exact = false;  // the frames come back from it

  static constexpr u64 kNone = ~u64{0};
};

// Knows stacks as paths. Called by the thread that adds rows.
class StackPaths {
 public:
  virtual ~StackPaths() = default;
  // Frames that it does not give back exactly are kept one by one beside it.
  virtual StackPath path(std::span<const base::Id> frames) = 0;
};

// What the source did not tell and the builder found out.
struct Derived {
  u64 path = kNone;         // of the thread's open calls, where no stack is told
  u64 class_index = kNone;  // of a throw always, where known: sums go by it
  u64 moved = 0;            // objects, before a gc

  static constexpr u64 kNone = ~u64{0};
};

// What a segment holds, on its way to the thread that encodes it.
class RowSegment {
 public:
  RowSegment(std::unique_ptr<RowColumns> columns, u64 first_row, CodingTurn turn,
             std::shared_ptr<Spare<RowColumns>> spare)
      : columns_(std::move(columns)),
        first_row_(first_row),
        turn_(std::move(turn)),
        spare_(std::move(spare)) {}
  RowSegment(RowSegment&&) noexcept = default;
  RowSegment& operator=(RowSegment&&) = delete;
  ~RowSegment() {
    if (columns_ != nullptr) spare_->give(std::move(columns_));
  }

  event::Kind kind() const { return columns_->kind(); }
  u32 rows() const { return columns_->rows(); }
  u64 first_row() const { return first_row_; }
  base::Time least() const { return columns_->least(); }
  base::Time greatest() const { return columns_->greatest(); }
  const RowColumns& columns() const { return *columns_; }

  // Appends the payload. Any thread, once; segments of one encoder may be encoded at once, but one
  // waits for the segment whose codings it takes over: begin them in the order they were taken.
  // Which threads do it leaves no trace in the bytes.
  void encode(std::string& payload);

 private:
  std::unique_ptr<RowColumns> columns_;
  u64 first_row_;
  CodingTurn turn_;
  std::shared_ptr<Spare<RowColumns>> spare_;
};

// One thread at a time.
class RowEncoder {
 public:
  // Both must outlive it. Without `paths`, all stacks are kept frame by frame.
  RowEncoder(event::Kind kind, TextIds& texts, StackPaths* paths = nullptr);

  // `thread`: its index; `subject`: the index of the entity where the kind's subject is one, else
  // the event's id; Derived::kNone for none. REQUIRES: the event's kind, !full().
  void add(const event::Batch& batch, const event::Event& event, u32 thread, u64 subject,
           const Derived& derived = {});

  u32 rows() const { return columns_->rows(); }
  // The segment should end: as many rows, or elements of lists, as one holds.
  bool full() const { return columns_->full(); }
  // Memory that the open segment takes.
  std::size_t bytes() const { return columns_->bytes(); }

  // Ends the segment; `first_row`: how many rows of the kind are before it. The next one takes as
  // little memory as it can where that is short. REQUIRES: rows() != 0.
  enum class Memory : u8 { plenty, is_short };
  RowSegment take(u64 first_row, Memory memory = Memory::plenty);
  // What take() would end; nothing of it is left in the encoder, nor of its codings.
  RowSegment copy(u64 first_row) const;
  // As take() and encode().
  void finish(std::string& payload, u64 first_row) { take(first_row).encode(payload); }

 private:
  std::unique_ptr<RowColumns> columns_;
  TextIds& texts_;
  StackPaths* paths_;
  CodingTurns turns_;
  std::shared_ptr<Spare<RowColumns>> spare_;
};

}  // namespace polytrace::store
