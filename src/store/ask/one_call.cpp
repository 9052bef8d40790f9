// SPDX-License-Identifier: Apache-2.0
#include "store/ask/one_call.hpp"

#include <algorithm>
#include <tuple>

#include "base/codes.hpp"

namespace polytrace::store {
namespace {

struct EndInBlock {
  std::uint32_t event;
  base::Time time;
};

// Where a call of the block ends in it; nothing: it does not.
std::optional<EndInBlock> end_in(const CallBlock& block, std::uint32_t call) {
  base::Time time = block.head().before;
  std::uint32_t entered = 0;
  std::uint32_t deeper = 0;  // open calls from the one that is looked for on
  for (std::uint32_t event = 0; event < block.head().events; ++event) {
    time = base::tick_after(time, block.difference(event));
    if (block.enters(event)) {
      if (entered++ >= call) ++deeper;
    } else if (deeper != 0 && --deeper == 0) {
      return EndInBlock{event, time};
    }
  }
  return std::nullopt;
}

EndKind kind_of_leave(const CallBlock& block, std::uint32_t event) {
  if (std::ranges::binary_search(block.unwinds(), event)) return EndKind::unwind;
  const bool is_made = std::ranges::any_of(block.beside(), [&](const BesideEvent& beside) {
    return beside.sort == Irregular::made && event < beside.event &&
           beside.event - event <= beside.value;
  });
  return is_made ? EndKind::cut : EndKind::leave;
}

// One thread's best so far.
struct Found {
  base::Time start;
  std::uint32_t thread;
  SliceId call;

  auto operator<=>(const Found&) const = default;
};

class Seeker {
 public:
  Seeker(const CallFrames& frames, const MethodSet& methods, const Range& range,
         Direction direction)
      : frames_(frames), range_(range), direction_(direction), blocks_(frames, methods) {}

  base::result<void> look(std::uint32_t thread);
  const std::optional<Found>& found() const { return found_; }

 private:
  bool look_in(const CallBlock& block, std::uint32_t thread, std::uint64_t number);
  void take(const Found& call) {
    const bool is_better =
        !found_ || (direction_ == Direction::next ? call < *found_ : call > *found_);
    if (is_better) found_ = call;
  }

  const CallFrames& frames_;
  const Range& range_;
  Direction direction_;
  MethodBlocks blocks_;
  std::optional<Found> found_;
};

base::result<void> Seeker::look(std::uint32_t thread) {
  const auto blocks = frames_.blocks(thread);
  auto [at, end] = frames_.met_by(thread, range_.from, range_.to);
  while (at < end) {
    if (range_.stop != nullptr && *range_.stop)
      return base::fail(base::Code::limit_exceeded, "stopped");
    const bool forward = direction_ == Direction::next;
    const auto place = forward ? blocks_.next(thread, at, end) : blocks_.previous(thread, at, end);
    if (!place) return base::Unexpected(place.error());
    if (*place == end) return {};
    // No block behind has a better one than another thread has.
    if (found_ && forward && blocks[*place].before > found_->start) return {};
    if (found_ && !forward && blocks[*place].last < found_->start) return {};
    const auto block = frames_.block(thread, *place);
    if (!block) return base::Unexpected(block.error());
    if (look_in(**block, thread, blocks[*place].number)) return {};
    if (forward) at = *place + 1;
    else end = *place;
  }
  return {};
}

// Whether the block has one.
bool Seeker::look_in(const CallBlock& block, std::uint32_t thread, std::uint64_t number) {
  base::Time time = block.head().before;
  std::uint32_t call = 0;
  bool any = false;
  for (std::uint32_t event = 0; event < block.head().events; ++event) {
    time = base::tick_after(time, block.difference(event));
    if (!block.enters(event)) continue;
    const std::uint32_t entered = call++;
    if (time < range_.from || time >= range_.to) continue;
    if (!blocks_.has(block.locals()[block.code(entered)].path)) continue;
    take({time, thread, slice_id(number, entered)});
    any = true;
    if (direction_ == Direction::next) break;
  }
  return any;
}

}  // namespace

LateEnd end_of(const CallFrames& frames, std::uint32_t thread, std::span<const CallEnd> ends,
               SliceId call, base::Time start) {
  const auto end = std::ranges::lower_bound(ends, call, {}, &CallEnd::call);
  if (end != ends.end() && end->call == call) return {end->duration, end->how};
  return {base::elapsed(start, frames.blocks(thread).back().last), EndKind::end_of_trace};
}

base::result<Call> find_call(const CallFrames& frames, SliceId call) {
  const auto at = frames.find(block_of(call));
  if (!at) return base::Unexpected(at.error());
  auto stack = open_calls_with(frames, call);
  if (!stack) return base::Unexpected(stack.error());
  const OpenCall own = stack->back();
  stack->pop_back();
  Call found{at->thread, call,      own.path,       own.method,
             own.start,  own.start, EndKind::leave, std::move(*stack)};
  const auto block = frames.block(at->thread, at->place);
  if (!block) return base::Unexpected(block.error());
  if (const auto end = end_in(**block, call_of(call))) {
    found.end = end->time;
    found.how = kind_of_leave(**block, end->event);
    return found;
  }
  const auto ends = frames.ends(at->thread);
  if (!ends) return base::Unexpected(ends.error());
  const LateEnd end = end_of(frames, at->thread, **ends, call, own.start);
  found.end = base::tick_after(own.start, end.duration);
  found.how = end.how;
  return found;
}

base::result<std::optional<Call>> seek(const CallFrames& frames, const MethodSet& methods,
                                       const Range& range, Direction direction) {
  Seeker seeker(frames, methods, range, direction);
  const auto asked =
      ask_threads(frames, range, [&](std::uint32_t thread) { return seeker.look(thread); });
  if (!asked) return base::Unexpected(asked.error());
  if (!seeker.found()) return std::optional<Call>();
  auto call = find_call(frames, seeker.found()->call);
  if (!call) return base::Unexpected(call.error());
  return std::optional<Call>(std::move(*call));
}

}  // namespace polytrace::store
