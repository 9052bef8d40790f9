// SPDX-License-Identifier: Apache-2.0
#include "store/ask/method_durations.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "base/slot.hpp"
#include "store/ask/calls/open_calls.hpp"
#include "store/read/block_events.hpp"
#include "store/read/time_left_out.hpp"

namespace polytrace::store {
namespace {

// A call that is open in the walk.
struct Measured {
  std::uint32_t method;
  base::Time start;           // not before the range
  std::uint64_t not_counted;  // by then
};

class DurationWalk {
 public:
  DurationWalk(const CallFrames& frames, const Range& range, LeftOut left_out,
               const slice::Pauses* pauses)
      : frames_(frames), range_(range), left_out_(left_out), pauses_(pauses) {}

  base::result<void> add(std::uint32_t thread);
  std::vector<MethodDurations> take() { return std::move(all_); }

 private:
  bool leaves_out() const { return left_out_.waits || pauses_ != nullptr; }
  base::result<void> begin(std::uint32_t thread);
  void walk(const CallBlock& block);
  template <bool kLeavesOut>
  void walk_events(const CallBlock& block);
  void enter(std::uint32_t method, base::Time time) {
    open_.push_back({method, time, not_counted_});
  }
  void leave(base::Time end);

  const CallFrames& frames_;
  const Range& range_;
  LeftOut left_out_;
  const slice::Pauses* pauses_;
  std::vector<MethodDurations> all_;
  std::vector<Measured> open_;
  std::uint64_t not_counted_ = 0;       // of the thread's time in the range so far
  std::vector<std::uint32_t> methods_;  // of a block, by local path
};

base::result<void> DurationWalk::add(std::uint32_t thread) {
  const auto [at, end] = frames_.met_by(thread, range_.from, range_.to);
  if (at == end) return {};
  if (auto begun = begin(thread); !begun) return begun;
  base::Time last = range_.from;
  for (std::uint32_t place = at; place != end; ++place) {
    if (range_.stop != nullptr && *range_.stop)
      return base::fail(base::Code::read_failed, "stopped");
    const auto block = frames_.block(thread, place);
    if (!block) return base::Unexpected(block.error());
    walk(**block);
    last = std::max(last, (*block)->head().last);
  }
  while (!open_.empty()) leave(last);
  return {};
}

base::result<void> DurationWalk::begin(std::uint32_t thread) {
  open_.clear();
  not_counted_ = 0;
  const auto open = open_calls_before(frames_, thread, range_.from);
  if (!open) return base::Unexpected(open.error());
  for (const OpenCall& call : *open) enter(frames_.paths().method(call.path), range_.from);
  return {};
}

void DurationWalk::walk(const CallBlock& block) {
  methods_.clear();
  for (const CallBlock::Local& local : block.locals())
    methods_.push_back(frames_.paths().method(local.path));
  if (leaves_out()) walk_events<true>(block);
  else walk_events<false>(block);
}

template <bool kLeavesOut>
void DurationWalk::walk_events(const CallBlock& block) {
  base::Time time = block.head().before;
  using Waits = TimeLeftOut::Waits;
  TimeLeftOut clock(block.changes(), std::max(time, range_.from),
                    left_out_.waits ? Waits::left_out : Waits::count, pauses_);
  std::uint32_t call = 0;
  for (std::uint32_t event = 0; event < block.head().events; ++event) {
    time = base::tick_after(time, block.difference(event));
    const bool enters = block.enters(event);
    const std::uint32_t entered = call;
    call += enters ? 1 : 0;
    if (time < range_.from) continue;
    if (time >= range_.to) break;
    if constexpr (kLeavesOut) not_counted_ += clock.upto(time);
    if (enters) enter(methods_[block.code(entered)], time);
    else if (!open_.empty()) leave(time);
  }
  if constexpr (kLeavesOut) not_counted_ += clock.upto(std::min(block.head().last, range_.to));
}

void DurationWalk::leave(base::Time end) {
  const Measured call = open_.back();
  open_.pop_back();
  if (call.method == kNoMethod) return;
  std::uint64_t duration = base::elapsed(call.start, std::min(end, range_.to));
  duration -= std::min(duration, not_counted_ - call.not_counted);
  MethodDurations& of = base::slot(all_, call.method);
  ++of.calls;
  of.least = std::min(of.least, duration);
  of.most = std::max(of.most, duration);
  of.sketch.add(duration);
}

}  // namespace

base::result<std::vector<MethodDurations>> method_durations(const CallFrames& frames,
                                                            const Range& range, LeftOut left_out) {
  std::shared_ptr<const slice::Pauses> pauses;
  if (left_out.pauses) {
    auto known = frames.pauses();
    if (!known) return base::Unexpected(known.error());
    if (*known == nullptr) return base::fail(base::Code::value_unexpected, "pauses not known");
    pauses = std::move(*known);
  }
  DurationWalk walk(frames, range, left_out, pauses.get());
  const auto asked =
      ask_threads(frames, range, [&](std::uint32_t thread) { return walk.add(thread); });
  if (!asked) return base::Unexpected(asked.error());
  return walk.take();
}

}  // namespace polytrace::store
