// SPDX-License-Identifier: Apache-2.0
// Where a thread was at a moment of a block, with the calls that the block entered. Any thread.
#pragma once

#include <vector>

#include "store/read/block_view.hpp"

namespace polytrace::store {

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

}  // namespace polytrace::store
