// SPDX-License-Identifier: Apache-2.0
#include "store/build/pass/cells.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/slot.hpp"
#include "store/build/largest.hpp"

namespace polytrace::store {
namespace {

// A frame pays if it has one cell for that many calls.
constexpr std::uint64_t kCallsPerCell = 16;
// Of a frame instead of finer ones: a quarter less than they have.
constexpr std::uint64_t kCostOfCell = 12;
// From so many calls a cell on, the finer level may pay; from so many it surely does.
constexpr std::uint64_t kMayBeFiner = 40;
constexpr std::uint64_t kIsFiner = kCallsPerCell << kCellStep;
// So few cells at the end of a trace are no work for anybody.
constexpr std::size_t kFewCells = 256;

}  // namespace

ThreadCells::Level& ThreadCells::level(unsigned number) {
  return base::slot(levels_, number / kCellStep);
}

void ThreadCells::extend(Level& level, const Level& by) {
  if (level.blocks == 0) {
    level.first_block = by.first_block;
    level.before = by.before;
  }
  level.blocks += by.blocks;
  level.last = by.last;
  level.calls += by.calls;
  level.cost += by.cost;
}

void ThreadCells::add(CellShared& shared, base::Time origin, const EncodedBlock& block,
                      const CellTaker& take) {
  thread_ = block.head.thread;
  origin_ = origin;
  WholeLog& whole = *shared.whole;
  if (stack_.size() != block.head.open) {
    whole.give_up();
    return forget();
  }
  whole.know(block);
  std::uint64_t calls = 0;
  std::uint32_t deepest = 0;
  CellJoiner& joiner = shared.joiner;
  joiner.begin(origin, lowest_);
  walk_calls(shared.block, block.number, stack_,
             [&](std::uint32_t row, const StackedCall& call, base::Time end) {
               joiner.add_call(row, call.start, end, call.call, call.path);
               whole.add(call.path, base::elapsed(call.start, end));
               deepest = std::max(deepest, row + 1);
               ++calls;
             });
  whole.deepen(thread_, deepest);
  const std::size_t cells = joiner.size();
  Level& lowest = level(lowest_);
  extend(lowest, {block.number, 1, block.head.before, block.head.last, calls, calls, {}});
  joiner.take(lowest.cells);
  calls_ += calls;
  cells_ += cells;
  choose_level(shared, take);
  for (unsigned at = lowest_; at / kCellStep < levels_.size(); at += kCellStep)
    if (level(at).cells.size() >= shared.options.frame_cells) close(shared, at, More::follow, take);
}

void ThreadCells::forget() {
  levels_.clear();
  stack_.clear();
}

void ThreadCells::choose_level(CellShared& shared, const CellTaker& take) {
  const std::uint64_t many = shared.options.frame_cells;
  const std::uint64_t asked = was_too_fine_ ? kIsFiner : kMayBeFiner;
  if (cells_ >= many / 2 && calls_ < kCallsPerCell * cells_) {
    if (lowest_ + kCellStep > kMostLevel) return;
    close(shared, lowest_, More::follow, take);
    lowest_ += kCellStep;
    was_too_fine_ = true;
  } else if (lowest_ > kCellStep && calls_ >= 8 * many && calls_ >= asked * cells_) {
    lowest_ -= kCellStep;
  } else if (calls_ < 64 * many) {
    return;
  }
  calls_ = cells_ = 0;
}

// Cells of a level in pieces: joined, written if that pays, and handed to the level above.
void ThreadCells::close(CellShared& shared, unsigned number, More more, const CellTaker& take) {
  Level closed = std::exchange(level(number), {});
  if (closed.blocks == 0) return;
  std::vector<Cell>& joined = shared.joined;
  joined.clear();
  shared.joiner.begin(origin_, number);
  for (const Cell& cell : closed.cells) shared.joiner.add(cell);
  shared.joiner.take(joined);
  if (!joined.empty() && joined.size() <= kMostCells &&
      closed.calls >= shared.options.least_calls && joined.size() * kCallsPerCell <= closed.cost) {
    CellFrame frame{thread_,     number, closed.first_block, closed.blocks, closed.before,
                    closed.last, {}};
    append_cells(joined, frame.payload);
    take(std::move(frame));
    closed.cost = joined.size() * kCostOfCell;
  }
  if (number + kCellStep > kMostLevel) return;
  Level& above = level(number + kCellStep);
  if (more == More::are_none && above.blocks == 0 && joined.size() <= kFewCells) return;
  extend(above, closed);
  shared.joiner.begin(origin_, number + kCellStep);
  for (const Cell& cell : joined) shared.joiner.add(cell);
  shared.joiner.take(above.cells);
}

void ThreadCells::finish(CellShared& shared, const CellTaker& take) {
  for (unsigned at = kCellStep; at / kCellStep < levels_.size(); at += kCellStep)
    close(shared, at, More::are_none, take);
  levels_ = {};
}

std::size_t ThreadCells::bytes() const {
  std::size_t bytes = levels_.capacity() * sizeof(Level);
  for (const Level& level : levels_) bytes += level.cells.capacity() * sizeof(Cell);
  return bytes;
}

const CallBlock* CellMaker::add(base::Time origin, const EncodedBlock& block, base::Bytes payload,
                                const CellTaker& take) {
  auto& thread = base::slot(threads_, block.head.thread);
  if (thread == nullptr) thread = std::make_unique<ThreadCells>();
  const bool is_read =
      shared_.block.read(payload, std::numeric_limits<std::uint32_t>::max()).has_value();
  bytes_ -= thread->bytes();
  if (is_read) {
    thread->add(shared_, origin, block, take);
  } else {
    shared_.whole->give_up();
    thread->forget();
  }
  bytes_ += thread->bytes();
  if (bytes_ > shared_.options.most_bytes) make_room(take);
  return is_read ? &shared_.block : nullptr;
}

// Those that hold most are finished, until half is free.
void CellMaker::make_room(const CellTaker& take) {
  std::vector<ThreadCells*> waiting;
  for (const auto& thread : threads_)
    if (thread != nullptr && thread->bytes() != 0) waiting.push_back(thread.get());
  bytes_ = shrink_largest(std::move(waiting), bytes_, shared_.options.most_bytes / 2,
                          [&](ThreadCells& thread) { thread.finish(shared_, take); });
}

void CellMaker::finish(const CellTaker& take) {
  for (const auto& thread : threads_)
    if (thread != nullptr) thread->finish(shared_, take);
  bytes_ = 0;
}

}  // namespace polytrace::store
