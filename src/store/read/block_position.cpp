// SPDX-License-Identifier: Apache-2.0
#include "store/read/block_position.hpp"

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
