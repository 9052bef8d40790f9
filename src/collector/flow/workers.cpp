// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/workers.hpp"

namespace polytrace::collector {

Workers::Workers(unsigned count) {
  for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
}

void Workers::add(Lane& lane, Job job) {
  const std::scoped_lock lock(mutex_);
  if (stopping_) return;
  lane.jobs_.push_back(std::move(job));
  if (lane.taken_) return;
  lane.taken_ = true;
  ready_.push_back(&lane);
  more_.notify_one();
}

// One job of a lane at a time, then the next lane's: a busy stream does not hold the others up.
void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    more_.wait(lock, [&] { return stopping_ || !ready_.empty(); });
    if (stopping_) return;
    Lane& lane = *ready_.front();
    ready_.pop_front();
    Job job = std::move(lane.jobs_.front());
    lane.jobs_.pop_front();
    ++busy_;
    lock.unlock();
    job();
    lock.lock();
    lane.taken_ = !lane.jobs_.empty();
    if (lane.taken_) ready_.push_back(&lane);
    // A job may be the last that keeps its lane.
    lock.unlock();
    job = nullptr;
    lock.lock();
    --busy_;
    if (busy_ == 0 && ready_.empty()) idle_.notify_all();
  }
}

bool Workers::finish(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, patience,
                        [&] { return stopping_ || (busy_ == 0 && ready_.empty()); });
}

void Workers::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    more_.notify_all();
    idle_.notify_all();
  }
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

}  // namespace polytrace::collector
