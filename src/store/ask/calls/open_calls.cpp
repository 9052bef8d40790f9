// SPDX-License-Identifier: Apache-2.0
#include "store/ask/calls/open_calls.hpp"

#include <algorithm>
#include <limits>

#include "base/codes.hpp"
#include "store/read/block_events.hpp"

namespace polytrace::store {
namespace {

constexpr base::Time kEnd = std::numeric_limits<base::Time>::max();

// Goes from calls to their callers, innermost first, through earlier and earlier blocks.
class StackSearch {
 public:
  StackSearch(const CallFrames& frames, std::uint32_t thread) : frames_(frames), thread_(thread) {}

  // Of where position(block) says that the thread is in that block.
  template <class Position>
  base::result<std::vector<OpenCall>> search(std::uint32_t place, Position position) {
    auto block = frames_.block(thread_, place);
    if (!block) return base::Unexpected(block.error());
    base::result<BlockPosition> first = position(**block);
    if (!first) return base::Unexpected(first.error());
    BlockPosition at = std::move(*first);
    left_ = at.base + at.open.size();
    for (;;) {
      take(**block, frames_.blocks(thread_)[place].number, at);
      if (left_ == 0) break;
      const BlockHead& head = (*block)->head();
      const bool by_link = left_ <= head.fewest;
      const auto earlier = by_link ? place_of_link(head.link) : place - 1;
      if (!earlier) return base::Unexpected(earlier.error());
      if (*earlier >= place) return base::fail(base::Code::value_unexpected, "link of a block");
      const SliceId link = head.link;
      place = *earlier;
      block = frames_.block(thread_, place);
      if (!block) return base::Unexpected(block.error());
      auto found = by_link ? position_in(**block, call_of(link))
                           : base::result<BlockPosition>(position_at(**block, kEnd));
      if (!found) return base::Unexpected(found.error());
      at = std::move(*found);
    }
    std::ranges::reverse(calls_);
    return std::move(calls_);
  }

 private:
  base::result<std::uint32_t> place_of_link(SliceId link) const {
    const auto at = frames_.find(block_of(link));
    if (!at) return base::Unexpected(at.error());
    if (at->thread != thread_) return base::fail(base::Code::value_unexpected, "link of a block");
    return at->place;
  }
  // Those of the open calls that are among the `left_` outermost.
  void take(const CallBlock& block, std::uint64_t number, const BlockPosition& at) {
    if (left_ <= at.base) return;
    const std::size_t most = std::min(left_ - at.base, at.open.size());
    for (std::size_t i = most; i-- > 0;) {
      const BlockPosition::Call& call = at.open[i];
      const std::uint32_t path = block.locals()[call.local].path;
      calls_.push_back(
          {slice_id(number, call.number), path, frames_.paths().method(path), call.start});
    }
    left_ = at.base;
  }

  const CallFrames& frames_;
  std::uint32_t thread_;
  std::size_t left_ = 0;  // calls that are not found yet
  std::vector<OpenCall> calls_;
};

base::result<std::vector<OpenCall>> calls_open(const CallFrames& frames, std::uint32_t thread,
                                               base::Time at, bool inclusive) {
  const auto blocks = frames.blocks(thread);
  if (blocks.empty() || at > blocks.back().last) return std::vector<OpenCall>{};
  const auto behind = inclusive
                          ? std::ranges::upper_bound(blocks, at, {}, &CallFrames::Block::before)
                          : std::ranges::lower_bound(blocks, at, {}, &CallFrames::Block::before);
  if (behind == blocks.begin()) return std::vector<OpenCall>{};
  const auto place = static_cast<std::uint32_t>(behind - blocks.begin()) - 1;
  return StackSearch(frames, thread).search(place, [&](const CallBlock& block) {
    return inclusive ? position_at(block, at) : position_before(block, at);
  });
}

}  // namespace

base::result<std::vector<OpenCall>> open_calls(const CallFrames& frames, std::uint32_t thread,
                                               base::Time at) {
  return calls_open(frames, thread, at, true);
}

base::result<std::vector<OpenCall>> open_calls_before(const CallFrames& frames,
                                                      std::uint32_t thread, base::Time at) {
  return calls_open(frames, thread, at, false);
}

base::result<std::vector<OpenCall>> open_calls_behind(const CallFrames& frames,
                                                      std::uint32_t thread, std::uint32_t place) {
  return StackSearch(frames, thread).search(place, [](const CallBlock& block) {
    return position_at(block, kEnd);
  });
}

base::result<std::vector<OpenCall>> open_calls_with(const CallFrames& frames, SliceId call) {
  const auto at = frames.find(block_of(call));
  if (!at) return base::Unexpected(at.error());
  return StackSearch(frames, at->thread).search(at->place, [&](const CallBlock& block) {
    return position_in(block, call_of(call));
  });
}

}  // namespace polytrace::store
