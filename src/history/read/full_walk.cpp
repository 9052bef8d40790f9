// SPDX-License-Identifier: Apache-2.0
#include "history/read/full_walk.hpp"

#include <algorithm>

#include "history/read/run_view.hpp"

namespace polytrace::history {

base::result<std::span<const Cell>> FullWalk::next() {
  const auto& all = segments_.lines();
  const Lines lines = Lines(all).subspan(done_, std::min(kBatch, all.size() - done_));
  done_ += lines.size();
  const std::span cells = std::span<const Cell>(cells_).first(lines.size());
  if (segments_.places().empty() || !segments_.content().exits) {
    if (auto filled = fill_slowly(lines); !filled) return tl::unexpected(filled.error());
    return cells;
  }
  if (checked_ == nullptr) {
    number_ = segments_.number_at(t_);
    const auto checked = segments_.segment(number_);
    if (!checked) return tl::unexpected(checked.error());
    checked_ = *checked;
  }
  find_runs(lines);
  if (!take_runs(lines)) return segments_.damaged(number_);
  take_entries(lines);
  if (!take_ends(lines)) return segments_.damaged(number_);
  return cells;
}

base::result<void> FullWalk::fill_slowly(Lines lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto found = segments_.at(lines[i].index, t_);
    if (!found) return tl::unexpected(found.error());
    cells_[i] = {found->state, found->end, lines[i].key};
  }
  return {};
}

void FullWalk::find_runs(Lines lines) {
  const SegmentView& view = checked_->view;
  active_.count = entry_.count = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint32_t offset = view.run_of(lines[i].key, hint_);
    offsets_[active_.count] = offset;
    active_.add(i, offset != 0);
    entry_.add(i, offset == 0);
    cells_[i].key = lines[i].key;
  }
  exit_ = entry_;
}

[[gnu::flatten]] bool FullWalk::take_runs(Lines lines) {
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < active_.count; ++i) {
    if (i + kAhead < active_.count) checked_->view.prefetch_run(offsets_[i + kAhead]);
    const std::uint32_t cell = active_.cells[i];
    if (!take_run(lines[cell], offsets_[i], cell)) return false;
  }
  return true;
}

bool FullWalk::take_run(const Line& line, std::uint32_t offset, std::size_t number) {
  RunView run;
  BlockView block;
  if (!checked_->view.open_run(offset, line.code, run)) return false;
  const std::uint32_t of_block = run.blocks() == 1 ? 0 : run.block_of(t_);
  if (!run.open_block(of_block, block)) return false;
  Cell& cell = cells_[number];
  if (t_ < block.first_time()) {
    entry_.add(number, true);
    cell.end = base::tick_before(block.first_time());
    return true;
  }
  BlockView::Found found;
  if (!block.find(t_, found)) return false;
  cell.state = block.state(found.number, found.time);
  cell.end = base::tick_before(found.next);
  const bool last_block = of_block + 1 == run.blocks();
  if (!found.has_next && !last_block) cell.end = base::tick_before(run.block_start(of_block + 1));
  exit_.add(number, !found.has_next && last_block);
  return true;
}

void FullWalk::take_entries(Lines lines) {
  const Tick start = segments_.content().start;
  for (std::size_t i = 0; i < entry_.count; ++i) {
    const std::uint32_t cell = entry_.cells[i];
    cells_[cell].state = checked_->view.entry(lines[cell], start);
  }
}

// And tests that all states are as they should be.
bool FullWalk::take_ends(Lines lines) {
  const Tick start = segments_.content().start;
  const Tick end = segments_.content().end;
  const Tick last = checked_->view.last();
  bool good = true;
  for (std::size_t i = 0; i < exit_.count; ++i) {
    const std::uint32_t cell = exit_.cells[i];
    const Line& line = lines[cell];
    const std::uint32_t slot = line.code != kOpenCode ? line.slot : line.open_slot;
    Tick until = end;
    if (slot < checked_->exits.slots(line.code))
      until = base::tick_before(checked_->exits.group(line.code, slot).next(slot % kBlock));
    good &= until >= last && until <= end;
    cells_[cell].end = until;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Cell& cell = cells_[i];
    good &= cell.state.start >= start;
    good &= cell.state.start <= t_;
    good &= cell.end >= t_;
  }
  return good;
}

}  // namespace polytrace::history
