// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "history/segments.hpp"

namespace polytrace::history {

using Look = SegmentView::Look;

// The state whose end a walk has not met yet; backwards, the first tick behind the state wanted.
struct Segments::Held {
  State state{};
  Tick before = 0;
  bool any = false;
  bool done = false;
};

bool Segments::spot(Look look, const RunView& run, const Checked& checked, const KeyInfo& info,
                    Tick t, Spot& spot) const {
  spot.has_next = false;
  if (look == Look::damaged) return false;
  if (look == Look::none) return checked.view.entry(info, content_.start, spot.state);
  BlockView block;
  const std::uint32_t number = run.block_of(t);
  if (!run.open_block(number, block)) return false;
  if (t < block.first_time()) {
    spot.next = block.first_time();
    spot.has_next = true;
    return checked.view.entry(info, content_.start, spot.state);
  }
  const BlockView::Found found = block.find(t);
  spot.state = block.state(found.number, found.time);
  spot.next = found.next;
  spot.has_next = found.has_next;
  if (!found.has_next && number + 1 < run.blocks()) {
    spot.next = run.block_start(number + 1);
    spot.has_next = true;
  }
  return true;
}

base::result<Segments::Next> Segments::look_ahead(std::size_t number, const KeyInfo& info) const {
  while (++number < content_.places.size()) {
    const auto checked = segment(number);
    if (!checked) return tl::unexpected(checked.error());
    RunView run;
    BlockView block;
    const Look look = (*checked)->view.find(info, run);
    if (look == Look::none) continue;
    if (look == Look::damaged || !run.open_block(0, block)) return damaged(number);
    return Next{block.first_time(), true};
  }
  return Next{};
}

base::result<Segments::Next> Segments::after(std::size_t number, const Checked& checked,
                                             const KeyInfo& info) const {
  if (!content_.exits) return look_ahead(number, info);
  const bool typed = info.code != kOpenCode;
  const std::uint32_t slot = typed ? info.slot : info.open_slot;
  if (slot >= checked.exits.slots(info.code)) return Next{};
  Tick next = 0;
  if (!checked.exits.exit(info.code, slot, next)) return damaged(number);
  if (tick_before(next) == content_.end) return Next{};
  if (next <= checked.view.last() || next > content_.end) return damaged(number);
  return Next{next, true};
}

base::result<Segments::Found> Segments::finish(const Spot& spot, std::size_t number,
                                               const Checked& checked, const KeyInfo& info,
                                               Tick t) const {
  Found found{spot.state, tick_before(spot.next), false};
  if (!spot.has_next) {
    const auto next = after(number, checked, info);
    if (!next) return tl::unexpected(next.error());
    found.open = !next->any;
    found.end = next->any ? tick_before(next->tick) : content_.end;
  }
  if (found.state.start > t || found.end < t || found.state.start < content_.start)
    return damaged(number);
  return found;
}

base::result<Segments::Found> Segments::at(std::uint32_t index, Tick t) const {
  const std::size_t number = number_at(t);
  const auto checked = segment(number);
  if (!checked) return tl::unexpected(checked.error());
  RunView run;
  Spot here;
  const KeyInfo& info = keys_[index];
  if (!spot((*checked)->view.find(info, run), run, **checked, info, t, here))
    return damaged(number);
  return finish(here, number, **checked, info, t);
}

base::result<void> Segments::full(Tick t, StateVisitor visit) const {
  const std::size_t number = number_at(t);
  const auto checked = segment(number);
  if (!checked) return tl::unexpected(checked.error());
  std::size_t hint = 0;
  RunView run;
  Spot here;
  for (const std::uint32_t index : keys_.in_order()) {
    const KeyInfo& info = keys_[index];
    const Look look = (*checked)->view.find_next(info, hint, run);
    if (!spot(look, run, **checked, info, t, here)) return damaged(number);
    const auto found = finish(here, number, **checked, info, t);
    if (!found) return tl::unexpected(found.error());
    if (!visit(index, found->state, found->end, found->open)) return {};
  }
  return {};
}

// Goes on from the held state, or begins with the one that holds at `held.before`. False when the
// run is damaged.
bool Segments::walk_run(const RunView& run, std::uint32_t index, Tick to, Held& held,
                        StateVisitor visit) const {
  BlockView block;
  std::uint32_t number = held.any ? 0 : run.block_of(held.before);
  for (; number < run.blocks(); ++number) {
    if (!run.open_block(number, block)) return false;
    Tick time = block.first_time();
    std::uint32_t i = 0;
    if (!held.any && time <= held.before) {
      const BlockView::Found found = block.find(held.before);
      held.state = block.state(found.number, found.time);
      i = found.number + 1;
      time = found.next;
    }
    held.any = true;
    for (; i < block.count(); ++i) {
      if (time <= held.state.start) return false;
      held.done = !visit(index, held.state, tick_before(time), false) || time > to;
      if (held.done) return true;
      held.state = block.state(i, time);
      if (i + 1 < block.count()) time = block.time_after(time, i);
    }
  }
  return true;
}

base::result<void> Segments::forward(std::uint32_t index, Tick from, Tick to,
                                     StateVisitor visit) const {
  const KeyInfo& info = keys_[index];
  Held held{.before = from};
  for (std::size_t number = number_at(from);;) {
    const auto checked = segment(number);
    if (!checked) return tl::unexpected(checked.error());
    RunView run;
    const Look look = (*checked)->view.find(info, run);
    if (look == Look::damaged || (look == Look::none && held.any)) return damaged(number);
    if (!held.any && !(*checked)->view.entry(info, content_.start, held.state))
      return damaged(number);
    if (look == Look::found && !walk_run(run, index, to, held, visit)) return damaged(number);
    if (held.done) return {};
    held.any = true;
    const auto next = after(number, **checked, info);
    if (!next) return tl::unexpected(next.error());
    if (!next->any || next->tick > to) {
      visit(index, held.state, next->any ? tick_before(next->tick) : content_.end, !next->any);
      return {};
    }
    const std::size_t there = number_at(next->tick);
    if (there <= number) return damaged(number);
    number = there;
  }
}

// From the change at `held.before`, which must be there, back to the entry state. False when the
// run is damaged.
bool Segments::walk_back(const RunView& run, const Checked& checked, std::uint32_t index, Tick from,
                         Held& held, StateVisitor visit) const {
  std::array<Tick, kBlock> times{};
  const auto tell = [&](const State& state) {
    held.done = !visit(index, state, tick_before(held.before), false) || state.start <= from;
    const bool good = state.start < held.before;
    held.before = state.start;
    return good;
  };
  const Tick change = held.before;
  for (std::uint32_t number = run.block_of(change) + 1; number-- > 0;) {
    BlockView block;
    if (!run.open_block(number, block)) return false;
    times[0] = block.first_time();
    for (std::uint32_t i = 1; i < block.count(); ++i)
      times[i] = block.time_after(times[i - 1], i - 1);
    std::uint32_t i = block.count();
    while (i > 0 && times[i - 1] >= change) --i;
    while (i-- > 0 && !held.done) {
      if (!tell(block.state(i, times[i]))) return false;
    }
    if (held.done) return true;
  }
  State entry;
  return checked.view.entry(keys_[index], content_.start, entry) && tell(entry);
}

base::result<void> Segments::backward(std::uint32_t index, Tick from, Tick to,
                                      StateVisitor visit) const {
  const auto last = at(index, to);
  if (!last) return tl::unexpected(last.error());
  if (!visit(index, last->state, last->end, last->open)) return {};
  Held held{.before = last->state.start};
  std::size_t limit = content_.places.size();
  while (!held.done && held.before > from) {
    const std::size_t number = number_at(held.before);
    if (number >= limit) return damaged(number);
    limit = number;
    const auto checked = segment(number);
    if (!checked) return tl::unexpected(checked.error());
    RunView run;
    if ((*checked)->view.find(keys_[index], run) != Look::found ||
        !walk_back(run, **checked, index, from, held, visit))
      return damaged(number);
  }
  return {};
}

base::result<void> Segments::sampled(std::uint32_t index, std::span<const Tick> times,
                                     StateVisitor visit) const {
  for (std::size_t i = 0; i < times.size();) {
    const auto found = at(index, times[i]);
    if (!found) return tl::unexpected(found.error());
    if (!visit(index, found->state, found->end, found->open)) return {};
    while (i < times.size() && times[i] <= found->end) ++i;
  }
  return {};
}

}  // namespace polytrace::history
