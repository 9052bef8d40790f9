// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "history/segments.hpp"

namespace polytrace::history {

using RunFound = SegmentView::Look;

// The state whose end a walk has not met yet; backwards, the first tick behind the state wanted.
struct Segments::Held {
  State state{};
  Tick before = 0;
  bool any = false;
  bool done = false;
};

struct Segments::Look {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  SegmentView::Look run_found = SegmentView::Look::none;
  RunView run;
  BlockView block;
  std::uint32_t block_number = kNone;  // of the open one
  BlockView::Found found{};            // the last one in it
};

bool Segments::spot(Look& look, const Checked& checked, const KeyInfo& info, Tick t,
                    Spot& spot) const {
  spot.has_next = false;
  if (look.run_found == RunFound::damaged) return false;
  if (look.run_found == RunFound::none) return checked.view.entry(info, content_.start, spot.state);
  const std::uint32_t number = look.run.block_of(t);
  if (number != look.block_number) {
    if (!look.run.open_block(number, look.block)) return false;
    look.block_number = number;
    look.found = {0, look.block.first_time(), 0, false};
  }
  if (t < look.block.first_time()) {
    spot.next = look.block.first_time();
    spot.has_next = true;
    return checked.view.entry(info, content_.start, spot.state);
  }
  look.found = look.block.find(t, look.found.number, look.found.time);
  spot.state = look.block.state(look.found.number, look.found.time);
  spot.next = look.found.next;
  spot.has_next = look.found.has_next;
  if (!spot.has_next && number + 1 < look.run.blocks()) {
    spot.next = look.run.block_start(number + 1);
    spot.has_next = true;
  }
  return true;
}

bool Segments::look_ahead(std::size_t number, const KeyInfo& info, Next& next) const {
  while (++number < content_.places.size()) {
    const auto checked = segment(number);
    if (!checked) return false;
    RunView run;
    BlockView block;
    const RunFound found = (*checked)->view.find(info, run);
    if (found == RunFound::none) continue;
    if (found == RunFound::damaged || !run.open_block(0, block)) return false;
    next = {block.first_time(), true};
    return true;
  }
  return true;
}

bool Segments::after(std::size_t number, const Checked& checked, const KeyInfo& info,
                     Next& next) const {
  next = {};
  if (!content_.exits) return look_ahead(number, info, next);
  const std::uint32_t slot = info.code != kOpenCode ? info.slot : info.open_slot;
  if (slot >= checked.exits.slots(info.code)) return true;
  if (!checked.exits.exit(info.code, slot, next.tick)) return false;
  next.any = tick_before(next.tick) != content_.end;
  return !next.any || (next.tick > checked.view.last() && next.tick <= content_.end);
}

bool Segments::finish(const Spot& spot, std::size_t number, const Checked& checked,
                      const KeyInfo& info, Tick t, Found& found) const {
  found = {spot.state, tick_before(spot.next), false};
  if (!spot.has_next) {
    Next next;
    if (!after(number, checked, info, next)) return false;
    found.open = !next.any;
    found.end = next.any ? tick_before(next.tick) : content_.end;
  }
  return found.state.start <= t && found.end >= t && found.state.start >= content_.start;
}

Segments::Found Segments::only(std::uint32_t index) const {
  return {{content_.start, 0, keys_[index].first_tag()}, content_.end, true};
}

base::result<Segments::Found> Segments::at(std::uint32_t index, Tick t) const {
  if (content_.places.empty()) return only(index);
  const std::size_t number = number_at(t);
  const auto checked = segment(number);
  if (!checked) return tl::unexpected(checked.error());
  Look look;
  Spot here;
  Found found;
  const KeyInfo& info = keys_[index];
  look.run_found = (*checked)->view.find(info, look.run);
  if (spot(look, **checked, info, t, here) && finish(here, number, **checked, info, t, found))
    return found;
  return damaged(number);
}

base::result<void> Segments::full(Tick t, StateVisitor visit) const {
  const std::size_t number = number_at(t);
  const Checked* checked = nullptr;
  if (!content_.places.empty()) {
    const auto got = segment(number);
    if (!got) return tl::unexpected(got.error());
    checked = *got;
  }
  std::size_t hint = 0;
  Look look;
  Spot here;
  Found found;
  for (const std::uint32_t index : keys_.in_order()) {
    const KeyInfo& info = keys_[index];
    if (checked != nullptr) {
      look.run_found = checked->view.find_next(info, hint, look.run);
      look.block_number = Look::kNone;
      if (!spot(look, *checked, info, t, here) || !finish(here, number, *checked, info, t, found))
        return damaged(number);
    } else {
      found = only(index);
    }
    if (!visit(index, found.state, found.end, found.open)) return {};
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
  if (content_.places.empty()) {
    const Found found = only(index);
    visit(index, found.state, found.end, found.open);
    return {};
  }
  Held held{.before = from};
  for (std::size_t number = number_at(from);;) {
    const auto checked = segment(number);
    if (!checked) return tl::unexpected(checked.error());
    RunView run;
    const RunFound found = (*checked)->view.find(info, run);
    if (found == RunFound::damaged || (found == RunFound::none && held.any)) return damaged(number);
    if (!held.any && !(*checked)->view.entry(info, content_.start, held.state))
      return damaged(number);
    if (found == RunFound::found && !walk_run(run, index, to, held, visit)) return damaged(number);
    if (held.done) return {};
    held.any = true;
    Next next;
    if (!after(number, **checked, info, next)) return damaged(number);
    if (!next.any || next.tick > to) {
      const Tick end = next.any ? tick_before(next.tick) : content_.end;
      if (held.state.start > end) return damaged(number);
      visit(index, held.state, end, !next.any);
      return {};
    }
    const std::size_t there = number_at(next.tick);
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
    if (state.start >= held.before) return false;
    held.done = !visit(index, state, tick_before(held.before), false) || state.start <= from;
    held.before = state.start;
    return true;
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
    if ((*checked)->view.find(keys_[index], run) != RunFound::found ||
        !walk_back(run, **checked, index, from, held, visit))
      return damaged(number);
  }
  return {};
}

base::result<void> Segments::sampled(std::uint32_t index, std::span<const Tick> times,
                                     StateVisitor visit) const {
  const KeyInfo& info = keys_[index];
  std::size_t number = 0;
  const Checked* checked = nullptr;
  Look look;
  Spot here;
  Found found;
  for (std::size_t i = 0; i < times.size();) {
    const Tick t = times[i];
    if (content_.places.empty()) {
      found = only(index);
    } else {
      const std::size_t there = number_at(t);
      if (checked == nullptr || there != number) {
        const auto got = segment(there);
        if (!got) return tl::unexpected(got.error());
        checked = *got;
        number = there;
        look.run_found = checked->view.find(info, look.run);
        look.block_number = Look::kNone;
      }
      if (!spot(look, *checked, info, t, here) || !finish(here, number, *checked, info, t, found))
        return damaged(number);
    }
    if (!visit(index, found.state, found.end, found.open)) return {};
    while (i < times.size() && times[i] <= found.end) ++i;
  }
  return {};
}

}  // namespace polytrace::history
