// SPDX-License-Identifier: Apache-2.0
#include "store/read/block_events.hpp"

#include <algorithm>

#include "base/frames/bits.hpp"

namespace polytrace::store {

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

}  // namespace polytrace::store
