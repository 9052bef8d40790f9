// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/slot.hpp"
#include "collector/aggregate/aggregator.hpp"

namespace polytrace::collector {

using event::Batch;

GoingOn::Thread Aggregator::calling(std::uint32_t number) {
  const CallTimes::Clock::Thread& clock = base::slot(calls_.clock.threads, number);
  return {.id = slicer_.names().threads()[number].id,
          .last = walk_.last_of(number),
          .told = clock.last,
          .debt = clock.debt};
}

std::optional<GoingOn> Aggregator::going_on() {
  if (!windows_.has_clock()) return std::nullopt;
  const slice::Names& names = slicer_.names();
  GoingOn all;
  base::IdSet superseded;  // threads whose id another one has now
  for (const slice::ThreadInfo& thread : names.threads()) superseded.insert(thread.previous);
  bool in_sums = false;
  std::uint32_t number = 0;
  bool begins = false;
  walk_.for_each_frame([&](const CallTimes::Frame& frame) {
    begins = begins || CallTimes::is_bottom(frame);
    if (CallTimes::is_bottom(frame)) number = frame.outer;
    if (CallTimes::is_bottom(frame) || superseded.contains(number)) return;
    if (std::exchange(begins, false)) all.threads.push_back(calling(number));
    in_sums = in_sums || frame.is_sum;
    all.threads.back().calls.push_back({frame.id, frame.start, frame.ticket});
  });
  if (in_sums) return std::nullopt;
  happenings_.add_to(all, names);
  all.clock = windows_.zero();
  all.latest = latest_;
  all.first_wall = first_wall_;
  all.last_wall = last_wall_;
  for (const auto& [number, window] : windows_.open()) {
    all.windows.insert(number);
    all.minutes.insert(number / RowMaker::kWindowsOfMinute);
  }
  all.minutes.merge(maker_.open_minutes());
  for (const auto& [number, times] : closed_)
    if (!is_too_old(static_cast<std::int64_t>(number)))
      all.closed.emplace(static_cast<std::int64_t>(number), times);
  if (!all.closed.empty())
    all.ended = maker_.ended_from(all.closed.begin()->first / RowMaker::kWindowsOfMinute);
  all.first_gen = first_gen_;
  awaited_windows_ = all.windows;
  awaited_minutes_ = all.minutes;
  return all;
}

// The threads' indexes. Nothing is in windows of this: they have no clock meanwhile.
std::vector<std::uint32_t> Aggregator::enter_again(const GoingOn& going_on) {
  Batch batch;
  std::vector<std::uint16_t> slots;
  for (const GoingOn::Thread& thread : going_on.threads) {
    slots.push_back(batch.thread_slot(thread.id));
    batch.add_plain(0, slots.back(), base::kNoId, event::Kind::Note);  // so that it has an index
    for (const GoingOn::Call& call : thread.calls)
      batch.add(call.start, slots.back(), call.method, event::Enter{.ticket = call.ticket});
    if (thread.last != base::kNoTime)
      batch.add_plain(thread.last, slots.back(), base::kNoId, event::Kind::Note);
  }
  windows_ = Windows(options_.accepted);
  std::vector<std::uint32_t> indexes;
  slicer_.slice(batch, [&](const slice::Slice& slice) {
    walk_.consume(slice, calls_);
    happenings_.consume(slice);
    indexes.clear();
    for (const std::uint16_t slot : slots) indexes.push_back(slice.threads[slot]);
  });
  return indexes;
}

void Aggregator::go_on(const GoingOn& going_on) {
  happenings_.expect_cpu(going_on.tells_cpu);
  const std::vector<std::uint32_t> indexes = enter_again(going_on);
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    if (going_on.threads[i].calls.empty()) continue;
    CallTimes::Clock::Thread& clock = base::slot(calls_.clock.threads, indexes[i]);
    clock.last = going_on.threads[i].told;
    clock.debt = going_on.threads[i].debt;
  }
  happenings_.go_on(going_on, indexes, slicer_.names());
  windows_ = Windows(options_.accepted);
  if (going_on.clock) windows_.set_clock(*going_on.clock, 0);
  latest_ = going_on.latest;
  first_wall_ = going_on.first_wall;
  last_wall_ = going_on.last_wall;
  for (const std::int64_t number : going_on.windows) windows_.open(number);
  if (going_on.first_gen != 0) begin_apart();
  mute_ = going_on.windows;
  maker_.go_on(going_on.minutes, going_on.ended);
  for (const auto& [number, times] : going_on.closed) {
    closed_[static_cast<std::uint64_t>(number)] = times;
    newest_ = std::max(newest_, number);
  }
}

void Aggregator::begin_apart() {
  first_gen_ = kApart;
  for (auto at = closed_.begin(); at != closed_.end(); ++at)
    at.value() = std::max(at->second, kApart);
  mute_.clear();
  maker_.begin_apart(kApart);
}

Aggregator::Closed Aggregator::last_closed() const {
  const auto found = closed_.find(static_cast<std::uint64_t>(newest_));
  if (found == closed_.end() || found->second == 0) return {newest_, 0};
  return {newest_, static_cast<std::uint8_t>(found->second - 1)};
}

}  // namespace polytrace::collector
