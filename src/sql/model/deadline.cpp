// SPDX-License-Identifier: Apache-2.0
#include "sql/model/deadline.hpp"

namespace polytrace::sql {

Deadline::Deadline(std::chrono::milliseconds time, const std::atomic<bool>* wanted_off,
                   std::atomic<bool>& stop, std::function<void()> interrupt)
    : wanted_off_(wanted_off), stop_(stop), interrupt_(std::move(interrupt)) {
  const auto until = std::chrono::steady_clock::now() + time;
  watcher_ = std::thread([this, until] { watch(until); });
}

void Deadline::end() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  if (watcher_.joinable()) watcher_.join();
}

// An engine that begins just now may not notice one interrupt: it gets more.
void Deadline::watch(std::chrono::steady_clock::time_point until) {
  constexpr std::chrono::milliseconds kLook{10};
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto next = std::chrono::steady_clock::now() + kLook;
    changed_.wait_until(lock, is_ended() ? next : std::min(until, next));
    if (done_) return;
    if (wanted_off_ != nullptr && *wanted_off_ && !over_) wanted_ = true;
    else if (std::chrono::steady_clock::now() >= until && !wanted_) over_ = true;
    if (!is_ended()) continue;
    stop_ = true;
    if (interrupt_) interrupt_();
  }
}

}  // namespace polytrace::sql
