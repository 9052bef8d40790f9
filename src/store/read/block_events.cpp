// SPDX-License-Identifier: Apache-2.0
#include "store/read/block_events.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "base/frames/bits.hpp"

namespace polytrace::store {
namespace {

// Goes through a block event by event.
class BlockWalk {
 public:
  explicit BlockWalk(const CallBlock& block) : block_(block), time_(block.head().before) {
    at_.base = block.head().open;
    at_.local = block.head().local;
  }
  bool done() const { return event_ == block_.head().events; }
  // REQUIRES: not done().
  base::Time next_time() const { return base::tick_after(time_, block_.difference(event_)); }
  void step() {
    time_ = next_time();
    if (block_.enters(event_++)) {
      at_.local = block_.code(call_);
      at_.open.push_back({call_++, at_.local, time_});
      return;
    }
    at_.local = block_.locals()[at_.local].parent;
    if (!at_.open.empty()) at_.open.pop_back();
    else if (at_.base != 0) --at_.base;
  }
  std::uint32_t calls() const { return call_; }
  BlockPosition take() { return std::move(at_); }

 private:
  const CallBlock& block_;
  base::Time time_;
  std::uint32_t event_ = 0;
  std::uint32_t call_ = 0;
  BlockPosition at_;
};

}  // namespace

BlockEvents::BlockEvents(const CallBlock& block, std::uint64_t number, const Paths& paths)
    : block_(block),
      paths_(paths),
      number_(number),
      local_(block.head().local),
      time_(block.head().before) {
  find_special();
}

bool BlockEvents::next(CallEvent& into) {
  if (event_ >= special_ && next_beside(into)) return true;
  if (event_ == block_.head().events) return false;
  const std::uint32_t event = event_;
  next_of_log(into);
  if (event >= special_) tell_special(event, into);
  return true;
}

// What stands beside the log before its next event; passes by leaves that were made.
bool BlockEvents::next_beside(CallEvent& into) {
  for (; beside_ < block_.beside().size(); find_special()) {
    const BesideEvent& beside = block_.beside()[beside_];
    if (beside.sort == Irregular::made) {
      if (event_ + beside.value < beside.event) break;
      ++beside_;
      while (event_ < beside.event) next_of_log(into);
      continue;
    }
    if (beside.sort == Irregular::no_method || event_ < beside.event) break;
    ++beside_;
    find_special();
    const bool unwinds = (beside.marks & kIrregularUnwind) != 0;
    const auto leaves = unwinds ? CallEvent::What::unwind : CallEvent::What::leave;
    into = {base::tick_after(time_, beside.value),
            beside.method,
            kNoPath,
            kNoSlice,
            beside.sort == Irregular::dropped ? CallEvent::What::enter : leaves,
            (beside.marks & kIrregularDetails) != 0};
    return true;
  }
  return false;
}

void BlockEvents::next_of_log(CallEvent& into) {
  const std::uint32_t event = event_++;
  time_ = base::tick_after(time_, block_.difference(event));
  into.time = time_;
  into.has_details = block_.has_details(event);
  if (block_.enters(event)) {
    local_ = block_.code(call_);
    into.what = CallEvent::What::enter;
    into.call = slice_id(number_, call_++);
    into.path = block_.locals()[local_].path;
  } else {
    into.what = CallEvent::What::leave;
    into.call = kNoSlice;
    into.path = block_.locals()[local_].path;
    local_ = block_.locals()[local_].parent;
  }
  into.method = paths_.method(into.path);
}

void BlockEvents::tell_special(std::uint32_t event, CallEvent& into) {
  const auto late = block_.late();
  const auto unwinds = block_.unwinds();
  for (; late_ < late.size() && late[late_].event <= event; ++late_)
    into.time = base::tick_after(into.time, ~late[late_].earlier + 1);
  for (; unwind_ < unwinds.size() && unwinds[unwind_] <= event; ++unwind_)
    into.what = CallEvent::What::unwind;
  for (; beside_ < block_.beside().size(); ++beside_) {
    const BesideEvent& beside = block_.beside()[beside_];
    if (beside.sort != Irregular::no_method || beside.event > event) break;
    into.method = kNoMethod;
  }
  find_special();
}

void BlockEvents::find_special() {
  std::uint64_t next = ~std::uint32_t{0};
  if (late_ < block_.late().size())
    next = std::min<std::uint64_t>(next, block_.late()[late_].event);
  if (unwind_ < block_.unwinds().size())
    next = std::min<std::uint64_t>(next, block_.unwinds()[unwind_]);
  if (beside_ < block_.beside().size()) {
    const BesideEvent& beside = block_.beside()[beside_];
    const std::uint64_t made = beside.sort == Irregular::made ? beside.value : 0;
    next = std::min(next, beside.event - made);
  }
  special_ = static_cast<std::uint32_t>(next);
}

BlockPosition position_at(const CallBlock& block, base::Time time) {
  BlockWalk walk(block);
  while (!walk.done() && walk.next_time() <= time) walk.step();
  return walk.take();
}

BlockPosition position_before(const CallBlock& block, base::Time time) {
  BlockWalk walk(block);
  while (!walk.done() && walk.next_time() < time) walk.step();
  return walk.take();
}

base::result<BlockPosition> position_in(const CallBlock& block, std::uint32_t call) {
  if (call >= block.head().enters)
    return base::fail(base::Code::value_unexpected, "call of a link");
  BlockWalk walk(block);
  while (walk.calls() <= call) walk.step();
  return walk.take();
}

}  // namespace polytrace::store
