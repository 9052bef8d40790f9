// SPDX-License-Identifier: Apache-2.0
#include "store/read/events/stream_cursors.hpp"

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::store {
namespace {

using base::Code;
using base::fail;

base::Unexpected no_such(const char* what, const char* frame) {
  return fail(Code::value_unexpected, what, {.frame = frame});
}

}  // namespace

base::result<std::unique_ptr<CallCursor>> CallCursor::at(const IndexFrames& frames,
                                                         std::uint32_t thread,
                                                         std::uint64_t position) {
  const auto before = frames.events_before(thread);
  // The block that the event is in: blocks that tell nothing of the source are passed.
  const auto behind = std::ranges::upper_bound(before, position);
  if (before.empty() || behind == before.end()) return no_such("no such call", "ORDR");
  std::unique_ptr<CallCursor> cursor(new CallCursor(frames, thread));
  const auto place = static_cast<std::uint32_t>(behind - before.begin() - 1);
  if (auto entered = cursor->enter_block(place); !entered) return tl::unexpected(entered.error());
  if (auto skipped = cursor->skip_to(position); !skipped) return tl::unexpected(skipped.error());
  return cursor;
}

base::result<void> CallCursor::enter_block(std::uint32_t place) {
  if (place >= frames_.blocks(thread_).size()) return no_such("no such call", "ORDR");
  auto block = frames_.block(thread_, place);
  if (!block) return tl::unexpected(block.error());
  block_ = std::move(*block);
  place_ = place;
  position_ = frames_.events_before(thread_)[place];
  end_ = frames_.events_before(thread_)[place + 1];
  events_.emplace(*block_, frames_.blocks(thread_)[place].number, frames_.paths());
  return {};
}

base::result<void> CallCursor::skip_to(std::uint64_t position) {
  while (position_ < position)
    if (auto event = next(); !event) return tl::unexpected(event.error());
  return {};
}

base::result<CallEvent> CallCursor::next() {
  CallEvent event;
  while (!events_->next(event))
    if (auto entered = enter_block(place_ + 1); !entered) return tl::unexpected(entered.error());
  ++position_;
  return event;
}

base::result<std::unique_ptr<RowCursor>> RowCursor::at(const IndexFrames& frames, event::Kind kind,
                                                       std::uint64_t row) {
  const auto segments = frames.segments(kind);
  const auto behind = std::ranges::upper_bound(segments, row, {}, &IndexFrames::Segment::first_row);
  if (behind == segments.begin()) return no_such("no such row", "ORDR");
  const auto& segment = *std::prev(behind);
  const auto bytes = frames.view().payload(segment.entry);
  if (!bytes) return tl::unexpected(bytes.error());
  auto view = RowView::open(*bytes);
  if (!view) return tl::unexpected(view.error());
  if (view->kind() != kind || view->first_row() != segment.first_row)
    return no_such("another segment than the directory says", "ROWS");
  if (auto loaded = view->load(); !loaded) return tl::unexpected(loaded.error());
  std::unique_ptr<RowCursor> cursor(new RowCursor(std::move(*view)));
  if (!cursor->has(row)) return no_such("no such row", "ORDR");
  return cursor;
}

// The nearest.
std::unique_ptr<CallCursor> StreamCursors::take_calls(std::uint32_t thread,
                                                      std::uint64_t position) {
  const std::lock_guard lock(mutex_);
  auto best = calls_.end();
  for (auto at = calls_.begin(); at != calls_.end(); ++at) {
    if (at->key != thread || !at->cursor->is_near(position)) continue;
    if (best == calls_.end() || at->cursor->position() > best->cursor->position()) best = at;
  }
  if (best == calls_.end()) return nullptr;
  auto taken = std::move(best->cursor);
  calls_.erase(best);
  return taken;
}

std::unique_ptr<RowCursor> StreamCursors::take_rows(event::Kind kind, std::uint64_t row) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(
      rows_, [&](const auto& idle) { return idle.key == kind && idle.cursor->has(row); });
  if (found == rows_.end()) return nullptr;
  auto taken = std::move(found->cursor);
  rows_.erase(found);
  return taken;
}

void StreamCursors::give(std::uint32_t thread, std::unique_ptr<CallCursor> cursor) {
  const std::lock_guard lock(mutex_);
  calls_.push_front({thread, std::move(cursor)});
  if (calls_.size() > kMostCalls) calls_.pop_back();
}

void StreamCursors::give(event::Kind kind, std::unique_ptr<RowCursor> cursor) {
  const std::lock_guard lock(mutex_);
  rows_.push_front({kind, std::move(cursor)});
  if (rows_.size() > kMostRows) rows_.pop_back();
}

}  // namespace polytrace::store
