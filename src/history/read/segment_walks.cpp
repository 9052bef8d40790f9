// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "history/read/run_view.hpp"
#include "history/read/segments.hpp"

namespace polytrace::history {

// The state whose end a walk has not met yet; backwards, the first tick behind the state wanted.
struct Segments::Held {
  State state{};
  Tick before = 0;
  bool any = false;
  bool done = false;
};

struct Segments::Look {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t offset = 0;  // of the run
  RunView run;
  BlockView block;
  std::uint32_t block_number = kNone;  // of the open one

  // False when the timeline's run is damaged.
  bool open(const SegmentView& view, const KeyInfo& info) {
    offset = view.run_of(info.key);
    block_number = kNone;
    return offset == 0 || view.open_run(offset, info.code, run);
  }
};

bool Segments::spot(Look& look, const Checked& checked, const KeyInfo& info, Tick t,
                    Spot& spot) const {
  spot.has_next = false;
  if (look.offset == 0) return spot.state = checked.view.entry(info, content_.start), true;
  const std::uint32_t number = look.run.block_of(t);
  if (number != look.block_number) {
    if (!look.run.open_block(number, look.block)) return false;
    look.block_number = number;
  }
  if (t < look.block.first_time()) {
    spot = {checked.view.entry(info, content_.start), look.block.first_time(), true};
    return true;
  }
  BlockView::Found found;
  if (!look.block.find(t, found)) return false;
  spot = {look.block.state(found.number, found.time), found.next, found.has_next};
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
    const SegmentView& view = (*checked)->view;
    const std::uint32_t offset = view.run_of(info.key);
    if (offset == 0) continue;
    if (!view.open_run(offset, info.code, run) || !run.open_block(0, block)) return false;
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
  next.tick = checked.exits.group(info.code, slot).next(slot % kBlock);
  next.any = base::tick_before(next.tick) != content_.end;
  return !next.any || (next.tick > checked.view.last() && next.tick <= content_.end);
}

bool Segments::finish(const Spot& spot, std::size_t number, const Checked& checked,
                      const KeyInfo& info, Tick t, Found& found) const {
  found = {spot.state, base::tick_before(spot.next), false};
  if (!spot.has_next) {
    Next next;
    if (!after(number, checked, info, next)) return false;
    found.open = !next.any;
    found.end = next.any ? base::tick_before(next.tick) : content_.end;
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
  if (look.open((*checked)->view, info) && spot(look, **checked, info, t, here) &&
      finish(here, number, **checked, info, t, found))
    return found;
  return damaged(number);
}

// Goes on from the held state, or begins with the one that holds at `held.before`. False when the
// run is damaged.
bool Segments::walk_run(const RunView& run, std::uint32_t index, Tick to, Held& held,
                        StateVisitor visit) const {
  BlockView block;
  std::array<Tick, kBlock> times;
  std::uint32_t number = held.any ? 0 : run.block_of(held.before);
  for (; number < run.blocks(); ++number) {
    if (!run.open_block(number, block) || !block.times(times)) return false;
    std::uint32_t i = 0;
    if (!held.any && times[0] <= held.before) {
      while (i < block.count() && times[i] <= held.before) ++i;
      held.state = block.state(i - 1, times[i - 1]);
    }
    held.any = true;
    for (; i < block.count(); ++i) {
      if (times[i] <= held.state.start) return false;
      held.done = !visit(index, held.state, base::tick_before(times[i]), false) || times[i] > to;
      if (held.done) return true;
      held.state = block.state(i, times[i]);
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
    const SegmentView& view = (*checked)->view;
    const std::uint32_t offset = view.run_of(info.key);
    if (offset == 0 ? held.any : !view.open_run(offset, info.code, run)) return damaged(number);
    if (!held.any) held.state = view.entry(info, content_.start);
    if (offset != 0 && !walk_run(run, index, to, held, visit)) return damaged(number);
    if (held.done) return {};
    held.any = true;
    Next next;
    if (!after(number, **checked, info, next)) return damaged(number);
    if (!next.any || next.tick > to) {
      const Tick end = next.any ? base::tick_before(next.tick) : content_.end;
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
  std::array<Tick, kBlock> times;
  const auto tell = [&](const State& state) {
    if (state.start >= held.before) return false;
    held.done = !visit(index, state, base::tick_before(held.before), false) || state.start <= from;
    held.before = state.start;
    return true;
  };
  const Tick change = held.before;
  for (std::uint32_t number = run.block_of(change) + 1; number-- > 0;) {
    BlockView block;
    if (!run.open_block(number, block) || !block.times(times)) return false;
    std::uint32_t i = block.count();
    while (i > 0 && times[i - 1] >= change) --i;
    while (i-- > 0 && !held.done) {
      if (!tell(block.state(i, times[i]))) return false;
    }
    if (held.done) return true;
  }
  return tell(checked.view.entry(keys_[index], content_.start));
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
    const SegmentView& view = (*checked)->view;
    if (!view.open_run(view.run_of(keys_[index].key), keys_[index].code, run) ||
        !walk_back(run, **checked, index, from, held, visit))
      return damaged(number);
  }
  return {};
}

// As number_at(), for one that is mostly the same or the next.
std::size_t Segments::number_from(std::size_t number, Tick t) const {
  const auto& places = content_.places;
  const bool is_near = number + 2 >= places.size() || t < places[number + 2].first;
  if (!is_near) return number_at(t);
  return number + (number + 1 < places.size() && t >= places[number + 1].first ? 1 : 0);
}

// Who goes from segment to segment waits for memory at each step unless it is on its way: one step
// ahead for the run and the exit, two for what tells where they are.
void Segments::fetch_ahead(std::size_t number, const KeyInfo& info) const {
  const auto known = [&](std::size_t there) -> const Checked* {
    return there < checked_.size() ? checked_[there].load(std::memory_order_acquire) : nullptr;
  };
  const std::uint32_t slot = info.code != kOpenCode ? info.slot : info.open_slot;
  if (const Checked* const there = known(number + 1)) {
    there->view.prefetch_run_of(info.key);
    if (slot < there->exits.slots(info.code))
      there->exits.group(info.code, slot).prefetch(slot % kBlock);
  }
  if (const Checked* const there = known(number + 2)) {
    there->view.prefetch_directory(info.key);
    if (slot < there->exits.slots(info.code))
      __builtin_prefetch(&there->exits.group(info.code, slot));
  }
  if (const Checked* const there = known(number + 3)) __builtin_prefetch(there);
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
      const std::size_t there = checked == nullptr ? number_at(t) : number_from(number, t);
      if (checked == nullptr || there != number) {
        if (there == number + 1) fetch_ahead(there, info);
        const auto got = segment(there);
        if (!got) return tl::unexpected(got.error());
        checked = *got;
        number = there;
        if (!look.open(checked->view, info)) return damaged(number);
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
