// SPDX-License-Identifier: Apache-2.0
// Places in the streams of an index, kept between the parts of its order so that reading goes on
// where it was. Any thread.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "store/read/block_events.hpp"
#include "store/read/index_frames.hpp"

namespace polytrace::store {

// In the calls of one thread.
class CallCursor {
 public:
  // Before event `position` of the thread. Errors: those of blocks; value_unexpected where there
  // is no such event.
  static base::result<std::unique_ptr<CallCursor>> at(const IndexFrames& frames,
                                                      std::uint32_t thread, std::uint64_t position);
  std::uint64_t position() const { return position_; }
  // Whether the way to it is no longer than from the beginning of its block.
  bool is_near(std::uint64_t position) const {
    return position == position_ || (position_ < position && position < end_);
  }
  base::result<void> skip_to(std::uint64_t position);
  base::result<CallEvent> next();

 private:
  CallCursor(const IndexFrames& frames, std::uint32_t thread) : frames_(frames), thread_(thread) {}
  base::result<void> enter_block(std::uint32_t place);

  const IndexFrames& frames_;
  std::uint32_t thread_;
  std::uint32_t place_ = 0;
  std::uint64_t end_ = 0;  // of the block, in events
  std::uint64_t position_ = 0;
  std::shared_ptr<const CallBlock> block_;
  std::optional<BlockEvents> events_;
};

// In the rows of one kind.
class RowCursor {
 public:
  // Errors: those of segments; value_unexpected where there is no such row.
  static base::result<std::unique_ptr<RowCursor>> at(const IndexFrames& frames, event::Kind kind,
                                                     std::uint64_t row);
  bool has(std::uint64_t row) const {
    return row >= view_.first_row() && row - view_.first_row() < view_.rows();
  }
  // REQUIRES: has(row).
  void add(std::uint64_t row, const RowMeanings& meanings, event::Batch& to) {
    view_.add(static_cast<std::uint32_t>(row - view_.first_row()), meanings, to);
  }

 private:
  explicit RowCursor(RowView view) : view_(std::move(view)) {}

  RowView view_;
};

// Cursors that nobody uses now.
class StreamCursors {
 public:
  std::unique_ptr<CallCursor> take_calls(std::uint32_t thread, std::uint64_t position);
  std::unique_ptr<RowCursor> take_rows(event::Kind kind, std::uint64_t row);
  void give(std::uint32_t thread, std::unique_ptr<CallCursor> cursor);
  void give(event::Kind kind, std::unique_ptr<RowCursor> cursor);

 private:
  // Enough for all streams of most traces; they keep blocks in memory.
  static constexpr std::size_t kMostCalls = 256;
  static constexpr std::size_t kMostRows = 64;
  template <class Key, class Cursor>
  struct Idle {
    Key key;
    std::unique_ptr<Cursor> cursor;
  };

  std::mutex mutex_;  // guards what follows; the last given first
  std::list<Idle<std::uint32_t, CallCursor>> calls_;
  std::list<Idle<event::Kind, RowCursor>> rows_;
};

}  // namespace polytrace::store
