// SPDX-License-Identifier: Apache-2.0
#include "store/ask/durations.hpp"

#include <algorithm>
#include <tuple>

#include "base/codes.hpp"
#include "store/ask/one_call.hpp"

namespace polytrace::store {
namespace {

bool is_slower(const TimedCall& a, const TimedCall& b) {
  if (a.duration != b.duration) return a.duration > b.duration;
  return std::tie(a.start, a.thread, a.call) < std::tie(b.start, b.thread, b.call);
}

class DurationScan {
 public:
  DurationScan(const CallFrames& frames, const MethodSet& methods, const Range& range,
               std::size_t slowest)
      : frames_(frames), range_(range), most_kept_(slowest), blocks_(frames, methods) {}

  base::result<void> scan(std::uint32_t thread);
  Durations take() {
    std::ranges::sort(all_.slowest, is_slower);
    return std::move(all_);
  }

 private:
  base::result<void> add_open_before();
  base::result<void> scan_block(std::uint32_t place);
  base::result<void> add_late(SliceId call, std::uint32_t path, base::Time start);
  void add(SliceId call, std::uint32_t path, base::Time start, base::Time end);

  const CallFrames& frames_;
  const Range& range_;
  std::size_t most_kept_;
  MethodBlocks blocks_;
  std::uint32_t thread_ = 0;
  std::shared_ptr<const std::vector<CallEnd>> ends_;  // of the thread; null: nobody asked yet
  std::vector<StackedCall> entered_;                  // by a block, and not left so far
  Durations all_;
};

base::result<void> DurationScan::scan(std::uint32_t thread) {
  thread_ = thread;
  ends_ = nullptr;
  auto [at, end] = frames_.met_by(thread, range_.from, range_.to);
  if (at == end) return {};
  if (auto added = add_open_before(); !added) return added;
  for (;; ++at) {
    if (range_.stop != nullptr && *range_.stop)
      return base::fail(base::Code::limit_exceeded, "stopped");
    const auto next = blocks_.next(thread, at, end);
    if (!next) return base::Unexpected(next.error());
    if (*next == end) return {};
    at = *next;
    if (auto scanned = scan_block(at); !scanned) return scanned;
  }
}

base::result<void> DurationScan::add_open_before() {
  const auto open = open_calls_before(frames_, thread_, range_.from);
  if (!open) return base::Unexpected(open.error());
  for (const OpenCall& call : *open) {
    if (!blocks_.has(call.path)) continue;
    const auto found = find_call(frames_, call.call);
    if (!found) return base::Unexpected(found.error());
    add(call.call, call.path, call.start, found->end);
  }
  return {};
}

// The calls that the block enters.
base::result<void> DurationScan::scan_block(std::uint32_t place) {
  const auto read = frames_.block(thread_, place);
  if (!read) return base::Unexpected(read.error());
  const CallBlock& block = **read;
  SliceId next = slice_id(frames_.blocks(thread_)[place].number, 0);
  base::Time time = block.head().before;
  entered_.clear();
  for (std::uint32_t event = 0; event < block.head().events; ++event) {
    time = base::tick_after(time, block.difference(event));
    if (block.enters(event)) {
      entered_.push_back({time, next, block.locals()[block.code(call_of(next))].path});
      ++next;
    } else if (!entered_.empty()) {
      const StackedCall call = entered_.back();
      entered_.pop_back();
      if (blocks_.has(call.path) && call.start >= range_.from)
        add(call.call, call.path, call.start, time);
    }
  }
  for (const StackedCall& call : entered_) {
    if (!blocks_.has(call.path) || call.start < range_.from) continue;
    if (auto added = add_late(call.call, call.path, call.start); !added) return added;
  }
  return {};
}

base::result<void> DurationScan::add_late(SliceId call, std::uint32_t path, base::Time start) {
  if (ends_ == nullptr) {
    auto ends = frames_.ends(thread_);
    if (!ends) return base::Unexpected(ends.error());
    ends_ = std::move(*ends);
  }
  const LateEnd end = end_of(frames_, thread_, *ends_, call, start);
  add(call, path, start, base::tick_after(start, end.duration));
  return {};
}

void DurationScan::add(SliceId call, std::uint32_t path, base::Time start, base::Time end) {
  if (start >= range_.to) return;
  const std::uint64_t duration =
      base::elapsed(std::max(start, range_.from), std::min(end, range_.to));
  all_.least = all_.calls == 0 ? duration : std::min(all_.least, duration);
  all_.most = std::max(all_.most, duration);
  all_.sum += duration;
  ++all_.calls;
  all_.sketch.add(duration);
  if (most_kept_ == 0) return;
  // A heap with the fastest of those that are kept in front.
  const TimedCall timed{thread_, call, path, start, end, duration};
  auto& kept = all_.slowest;
  if (kept.size() == most_kept_) {
    if (!is_slower(timed, kept.front())) return;
    std::ranges::pop_heap(kept, is_slower);
    kept.back() = timed;
  } else {
    kept.push_back(timed);
  }
  std::ranges::push_heap(kept, is_slower);
}

}  // namespace

base::result<Durations> durations(const CallFrames& frames, const MethodSet& methods,
                                  const Range& range, std::size_t slowest) {
  DurationScan scan(frames, methods, range, slowest);
  const auto asked =
      ask_threads(frames, range, [&](std::uint32_t thread) { return scan.scan(thread); });
  if (!asked) return base::Unexpected(asked.error());
  return scan.take();
}

}  // namespace polytrace::store
