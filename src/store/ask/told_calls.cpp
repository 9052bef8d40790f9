// SPDX-License-Identifier: Apache-2.0
#include "store/ask/told_calls.hpp"

#include <algorithm>

#include "store/read/block_events.hpp"
#include "store/read/block_parts.hpp"

namespace polytrace::store {
namespace {

class CallTeller {
 public:
  CallTeller(const IndexFrames& frames, std::uint32_t thread) : frames_(frames), thread_(thread) {}

  base::result<ToldCalls> tell() {
    const auto blocks = static_cast<std::uint32_t>(frames_.blocks(thread_).size());
    for (std::uint32_t place = 0; place < blocks; ++place)
      if (auto told = tell_block(place); !told) return base::Unexpected(told.error());
    return told_;
  }

 private:
  base::result<void> tell_block(std::uint32_t place) {
    const auto payload = frames_.payload(thread_, place);
    if (!payload) return base::Unexpected(payload.error());
    BlockParts parts;
    if (auto opened = parts.open(*payload); !opened) return opened;
    if (parts.has(BlockColumn::irregular)) return tell_events(place);
    const auto unwinds = parts.get(BlockColumn::unwinds);
    if (!unwinds) return base::Unexpected(unwinds.error());
    // A number ends with its first byte below 128.
    const auto ends = [](std::byte byte) { return static_cast<unsigned>(byte) < 128; };
    const auto unwound = static_cast<std::uint64_t>(std::ranges::count_if(*unwinds, ends));
    const BlockHead& head = parts.head();
    told_.enters += head.enters;
    told_.unwinds += unwound;
    told_.leaves += head.events - head.enters - unwound;
    extend(head.before);
    extend(head.last);
    return {};
  }
  base::result<void> tell_events(std::uint32_t place) {
    const auto block = frames_.block(thread_, place);
    if (!block) return base::Unexpected(block.error());
    BlockEvents events(**block, frames_.blocks(thread_)[place].number, frames_.paths());
    for (CallEvent event{}; events.next(event);) {
      extend(event.time);
      if (event.what == CallEvent::What::enter) ++told_.enters;
      else if (event.what == CallEvent::What::leave) ++told_.leaves;
      else ++told_.unwinds;
    }
    return {};
  }
  void extend(base::Time time) {
    if (told_.span) told_.span->extend(time);
    else told_.span = {time, time};
  }

  const IndexFrames& frames_;
  std::uint32_t thread_;
  ToldCalls told_;
};

}  // namespace

base::result<ToldCalls> told_calls(const IndexFrames& frames, std::uint32_t thread) {
  return CallTeller(frames, thread).tell();
}

}  // namespace polytrace::store
