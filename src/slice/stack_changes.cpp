// SPDX-License-Identifier: Apache-2.0
#include "slice/stack_changes.hpp"

#include <algorithm>

#include "event/copy.hpp"

namespace polytrace::slice {

using base::Id;
using base::Time;
using event::Batch;
using event::Event;
using event::Kind;

namespace {

bool tells_mode(const event::Setting& setting) {
  return setting.key == "CollectionMethod" && setting.value == "Instrumentation";
}

}  // namespace

const Batch& StackChanges::as_calls(const Batch& batch) {
  told_ |= std::ranges::any_of(batch.column<event::Setting>(), tells_mode);
  if (!told_ || (batch.column<event::Sample>().empty() && batch.column<event::Recording>().empty()))
    return batch;
  out_.clear();
  out_.offset = batch.offset;
  for (const Event& event : batch.events) take(batch, event);
  return out_;
}

void StackChanges::take(const Batch& batch, const Event& event) {
  const bool turned = pause_.follow(batch, event);
  const auto sample =
      event.kind == Kind::Sample ? batch.details_or<event::Sample>(event, {}) : event::Sample{};
  if (sample.mode != event::SampleMode::change) {
    event::copy_event(batch, event, out_);
    if (turned) turn_all(event.time);
    return;
  }
  const auto frames = batch.list(sample.stack);
  Stack& stack = stacks_[event.id];
  if (!pause_.is_paused()) turn(event.id, event.time, stack, frames);
  stack.assign(frames.begin(), frames.end());
}

// What both have in common from the outermost frame on goes on.
void StackChanges::turn(Id thread, Time time, std::span<const Id> from, std::span<const Id> to) {
  if (out_.threads.size() + 1 >= Batch::kMaxThreads) return;
  const auto common = static_cast<std::size_t>(std::ranges::mismatch(from, to).in1 - from.begin());
  const std::uint16_t slot = out_.thread_slot(thread);
  for (std::size_t i = from.size(); i > common; --i)
    out_.add_plain(time, slot, from[i - 1], Kind::Leave);
  for (std::size_t i = common; i < to.size(); ++i) out_.add_plain(time, slot, to[i], Kind::Enter);
}

void StackChanges::turn_all(Time time) {
  std::vector<Id> threads;
  for (const auto& [thread, stack] : stacks_)
    if (!stack.empty()) threads.push_back(thread);
  std::ranges::sort(threads);
  for (const Id thread : threads) {
    const Stack& stack = stacks_[thread];
    if (pause_.is_paused()) turn(thread, time, stack, {});
    else turn(thread, time, {}, stack);
  }
}

}  // namespace polytrace::slice
