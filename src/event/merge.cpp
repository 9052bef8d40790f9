// SPDX-License-Identifier: Apache-2.0
#include "event/merge.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

#include "event/copy.hpp"

namespace polytrace::event {

Batch& TimeMerge::room_for(const Batch& batch) {
  constexpr std::size_t kEvents = 65536;  // enough that a batch's own memory does not count
  const bool fits = !batches_.empty() && batches_.back()->events.size() < kEvents &&
                    batches_.back()->threads.size() + batch.threads.size() < Batch::kMaxThreads;
  if (!fits) batches_.push_back(std::make_unique<Batch>());
  return *batches_.back();
}

bool TimeMerge::add(const Batch& batch) {
  Batch& kept = room_for(batch);
  const auto number = static_cast<u32>(batches_.size() - 1);
  for (const Event& event : batch.events) {
    if (bytes_ > limit_) return false;
    bytes_ += copy_event(batch, event, kept);
    extend(batch.thread(event), number, static_cast<u32>(kept.events.size() - 1));
  }
  return bytes_ <= limit_;
}

void TimeMerge::extend(Id thread, u32 batch, u32 index) {
  auto& runs = threads_[thread];
  if (!runs.empty() && runs.back().batch == batch && runs.back().end == index) {
    runs.back().end = index + 1;
    return;
  }
  runs.push_back({batch, index, index + 1});
  bytes_ += sizeof(Run);
}

void TimeMerge::emit(const std::function<void(const Batch&, const Event&)>& show) const {
  struct Head {
    const std::vector<Run>* runs;
    Time time;  // the latest of the thread so far
    u32 batch;
    u32 index;
    std::size_t run = 0;
    bool operator<(const Head& other) const {  // the queue's top is its greatest
      return std::tie(time, batch, index) > std::tie(other.time, other.batch, other.index);
    }
  };
  const auto event = [this](const Head& head) -> const Event& {
    return batches_[head.batch]->events[head.index];
  };
  std::priority_queue<Head> heads;
  for (const auto& [thread, runs] : threads_) {
    Head head{&runs, 0, runs[0].batch, runs[0].begin};
    head.time = event(head).time;
    heads.push(head);
  }
  while (!heads.empty()) {
    Head head = heads.top();
    heads.pop();
    show(*batches_[head.batch], event(head));
    if (++head.index == (*head.runs)[head.run].end) {
      if (++head.run == head.runs->size()) continue;
      head.batch = (*head.runs)[head.run].batch;
      head.index = (*head.runs)[head.run].begin;
    }
    head.time = std::max(head.time, event(head).time);
    heads.push(head);
  }
}

}  // namespace polytrace::event
