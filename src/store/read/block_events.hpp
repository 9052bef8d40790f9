// SPDX-License-Identifier: Apache-2.0
// Walks over a block: the events as their source told them, one after the other, and where the
// thread was at a moment, with the calls that the block entered; and calls as they end. One thread
// at a time.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/frames/bits.hpp"
#include "base/frames/svb.hpp"
#include "store/read/block_view.hpp"

namespace polytrace::store {

// An event of a source.
struct CallEvent {
  enum class What : std::uint8_t { enter, leave, unwind };

  base::Time time;       // as the source told it
  std::uint32_t method;  // index; kNoMethod: not told
  std::uint32_t path;    // of the call that begins or ends; kNoPath: none does
  SliceId call;          // that begins; kNoSlice: none does
  What what;
  bool has_details;  // a row of its kind has more of it
};

// A block's events one after the other. The block and the paths must outlive it.
class BlockEvents {
 public:
  BlockEvents(const CallBlock& block, std::uint64_t number, const Paths& paths);
  // False: there are no more.
  bool next(CallEvent& into);

 private:
  bool next_beside(CallEvent& into);
  void next_of_log(CallEvent& into);
  void tell_special(std::uint32_t event, CallEvent& into);
  void find_special();

  const CallBlock& block_;
  const Paths& paths_;
  std::uint64_t number_;
  std::uint32_t event_ = 0;
  std::uint32_t special_ = 0;  // the next event that is not plain
  std::uint32_t call_ = 0;
  std::uint32_t local_;
  base::Time time_;
  std::size_t beside_ = 0, late_ = 0, unwind_ = 0;
};

// Where a thread is in a block.
struct BlockPosition {
  struct Call {
    std::uint32_t number;  // of the call in the block
    std::uint32_t local;
    base::Time start;
  };
  std::vector<Call> open;   // that the block entered, outermost first
  std::uint32_t base = 0;   // calls open below them, from before the block
  std::uint32_t local = 0;  // local path of where it is
};
// After all events with times up to `time`, inclusive.
BlockPosition position_at(const CallBlock& block, base::Time time);
// After all events before `time`.
BlockPosition position_before(const CallBlock& block, base::Time time);
// After the call was entered; in a damaged index there may be no such call.
base::result<BlockPosition> position_in(const CallBlock& block, std::uint32_t call);

// A call that a thread has open.
struct StackedCall {
  base::Time start;
  SliceId call;
  std::uint32_t path;
};

// Goes through the whole block. `stack`: what is open at its beginning, and then at its end;
// ended(row, call, end) is called for each call that ends, where row is how many stay open.
// REQUIRES: as many as the block's head says.
template <class Ended>
void walk_calls(const CallBlock& block, std::uint64_t number, std::vector<StackedCall>& stack,
                Ended&& ended) {
  // The calls that stay open throughout stay where they are.
  const std::size_t below = std::min<std::size_t>(block.head().fewest, stack.size());
  thread_local base::RawArray<StackedCall> above;
  above.clear();
  above.append(std::span(stack).subspan(below));
  StackedCall* top = above.room(block.head().enters);
  const StackedCall* const bottom = above.data();
  const CallBlock::Local* const locals = block.locals().data();
  const std::uint32_t* const times = block.times().data();
  const std::uint64_t* const directions = block.directions().data();
  const std::uint16_t* code = block.codes().data();
  SliceId next = slice_id(number, 0);
  base::Time time = block.head().before;
  const std::uint32_t events = block.head().events;
  for (std::uint32_t event = 0; event < events; ++event) {
    std::uint64_t difference = times[event];
    if (difference == base::kSvbLarger) [[unlikely]]
      difference = block.difference(event);
    time = base::tick_after(time, difference);
    if ((directions[event / 64] >> (event % 64) & 1) != 0) {
      *top++ = {time, next++, locals[*code++].path};
    } else if (top != bottom) {
      --top;
      ended(static_cast<std::uint32_t>(below + static_cast<std::size_t>(top - bottom)), *top, time);
    }
  }
  above.grew_to(top);
  stack.resize(below);
  stack.insert(stack.end(), above.begin(), above.end());
}

}  // namespace polytrace::store
