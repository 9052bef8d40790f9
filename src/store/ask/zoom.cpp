// SPDX-License-Identifier: Apache-2.0
#include "store/ask/zoom.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "store/ask/one_call.hpp"
#include "store/read/block_events.hpp"

namespace polytrace::store {
namespace {

using base::Time;

// Where a bucket begins, as far as there are times.
Time begin_of(std::int64_t bucket, Time origin, unsigned level) {
  constexpr Time kLeast = std::numeric_limits<Time>::min(),
                 kMost = std::numeric_limits<Time>::max();
  if (bucket > kMost >> level) return kMost;
  if (bucket < kLeast >> level) return kLeast;
  const auto since = static_cast<Time>(static_cast<std::uint64_t>(bucket) << level);
  if (origin >= 0 && since > kMost - origin) return kMost;
  if (origin < 0 && since < kLeast - origin) return kLeast;
  return origin + since;
}

// Collects what a stretch of blocks has: calls that end in them, from frames of cells or one by
// one, then those that are open behind the last.
class Zoomer {
 public:
  Zoomer(const CallFrames& frames, Time origin, const Zoom& asked)
      : frames_(frames), asked_(asked), stretch_(origin, asked) {
    joiner_.begin(origin, asked.level);
  }

  base::result<void> collect();
  void visit(const ZoomVisitor& visit);

 private:
  using Cells = CallFrames::Cells;
  using Where = CallFrames::Where;

  base::result<void> add_frame(const Cells& frame);
  base::result<void> add_block(std::uint32_t place);
  base::result<void> add_open(std::uint32_t last);
  base::result<void> know_stack(std::uint32_t place);
  void add(const Cell& cell);

  const CallFrames& frames_;
  const Zoom& asked_;
  Stretch stretch_;
  CellJoiner joiner_;
  std::vector<Cell> cells_;
  std::vector<StackedCall> stack_;
  bool is_stack_known_ = false;  // of what follows
};

base::result<void> Zoomer::collect() {
  auto [at, end] = frames_.met_by(asked_.thread, stretch_.from(), stretch_.to());
  if (at == end || stretch_.from() >= stretch_.to()) return {};
  for (auto where = Where::is_first; at < end; where = Where::follows) {
    if (asked_.stop != nullptr && *asked_.stop)
      return base::fail(base::Code::limit_exceeded, "stopped");
    const Cells* const frame =
        CallFrames::coarsest(frames_.cells(asked_.thread), at, asked_.level, where);
    auto added = frame != nullptr ? add_frame(*frame) : add_block(at);
    if (!added) return added;
    at = frame != nullptr ? frame->first + frame->blocks : at + 1;
  }
  return add_open(at - 1);
}

base::result<void> Zoomer::add_frame(const Cells& frame) {
  const auto payload = frames_.payload(frame);
  if (!payload) return base::Unexpected(payload.error());
  cells_.clear();
  if (auto read = read_cells(*payload, frames_.paths().size(), cells_); !read) return read;
  for (const Cell& cell : cells_)
    if (stretch_.has_row(cell.row)) add(cell);
  is_stack_known_ = false;
  return {};
}

base::result<void> Zoomer::know_stack(std::uint32_t place) {
  stack_.clear();
  is_stack_known_ = true;
  if (place == 0) return {};
  const auto open = open_calls_behind(frames_, asked_.thread, place - 1);
  if (!open) return base::Unexpected(open.error());
  for (const OpenCall& call : *open) stack_.push_back({call.start, call.call, call.path});
  return {};
}

base::result<void> Zoomer::add_block(std::uint32_t place) {
  const auto block = frames_.block(asked_.thread, place);
  if (!block) return base::Unexpected(block.error());
  if (!is_stack_known_)
    if (auto known = know_stack(place); !known) return known;
  if (stack_.size() != (*block)->head().open)
    return base::fail(base::Code::value_unexpected, "open calls of a block");
  walk_calls(**block, frames_.blocks(asked_.thread)[place].number, stack_,
             [&](std::uint32_t row, const StackedCall& call, Time end) {
               if (!stretch_.has_row(row)) return;
               const std::uint64_t duration = base::elapsed(call.start, end);
               if (duration >> asked_.level != 0)
                 add({call.start, end, 1, duration, duration, call.call, call.path, row});
               else if (stretch_.has_bucket_of(call.start))
                 joiner_.add_call(row, call.start, end, call.call, call.path);
             });
  return {};
}

// All calls that are open behind a block were left open by theirs.
base::result<void> Zoomer::add_open(std::uint32_t last) {
  if (!is_stack_known_)
    if (auto known = know_stack(last + 1); !known) return known;
  if (stack_.size() <= asked_.first_row) return {};
  const auto ends = frames_.ends(asked_.thread);
  if (!ends) return base::Unexpected(ends.error());
  for (std::uint32_t row = asked_.first_row; row < stack_.size() && stretch_.has_row(row); ++row) {
    const StackedCall& call = stack_[row];
    const std::uint64_t duration =
        end_of(frames_, asked_.thread, **ends, call.call, call.start).duration;
    add({call.start, base::tick_after(call.start, duration), 1, duration, duration, call.call,
         call.path, row});
  }
  return {};
}

void Zoomer::add(const Cell& cell) {
  if (stretch_.has(cell)) joiner_.add(cell);
}

void Zoomer::visit(const ZoomVisitor& visit) {
  cells_.clear();
  joiner_.take(cells_);
  for (const Cell& cell : cells_) visit(stretch_.item(cell));
}

}  // namespace

Stretch::Stretch(Time origin, const Zoom& asked)
    : asked_(asked),
      origin_(origin),
      from_(begin_of(asked.first_bucket, origin, asked.level)),
      to_(begin_of(asked.end_bucket, origin, asked.level)) {}

ZoomItem Stretch::item(const Cell& cell) const {
  ZoomItem item{cell.row,     cell.path, cell.start, cell.end, cell.count, cell.busy,
                cell.longest, cell.call, false,      false,    false};
  if (!cell.is_wide(asked_.level)) return item;
  item.is_wide = true;
  item.begins_before = cell.start < from_;
  item.ends_behind = cell.end > to_;
  item.start = std::max(cell.start, from_);
  item.end = std::min(cell.end, to_);
  item.count = item.begins_before ? 0 : 1;
  item.busy = base::elapsed(item.start, item.end);
  return item;
}

base::result<void> zoom(const CallFrames& frames, base::Time origin, const Zoom& asked,
                        const ZoomVisitor& visit) {
  if (asked.level > kMostLevel) return base::fail(base::Code::value_unexpected, "level");
  Zoomer zoomer(frames, origin, asked);
  if (auto collected = zoomer.collect(); !collected) return collected;
  zoomer.visit(visit);
  return {};
}

}  // namespace polytrace::store
