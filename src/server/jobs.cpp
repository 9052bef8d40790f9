// SPDX-License-Identifier: Apache-2.0
#include "server/jobs.hpp"

#include <utility>

namespace polytrace::server {

Jobs::Jobs(unsigned workers) {
  for (unsigned i = 0; i <= workers; ++i) workers_.emplace_back([this, i] { work(i == 0); });
}

Jobs::~Jobs() { finish(); }

bool Jobs::add(Lane lane, std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || quick_.size() + slow_.size() >= kMostWaiting) return false;
    (lane == Lane::quick ? quick_ : slow_).push_back(std::move(job));
  }
  more_.notify_all();
  return true;
}

void Jobs::finish() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    dropped.swap(slow_);
    for (auto& job : quick_) dropped.push_back(std::move(job));
    quick_.clear();
  }
  more_.notify_all();
  for (std::thread& worker : workers_)
    if (worker.joinable()) worker.join();
}

void Jobs::work(bool only_quick) {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock,
                 [&] { return ended_ || !quick_.empty() || (!only_quick && !slow_.empty()); });
      if (ended_) return;
      auto& queue = quick_.empty() ? slow_ : quick_;
      job = std::move(queue.front());
      queue.pop_front();
    }
    job();
  }
}

}  // namespace polytrace::server
