// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/deadline.hpp"

namespace polytrace::sql {

Deadline::Deadline(std::chrono::milliseconds time, const std::atomic<bool>* wanted_off,
                   std::atomic<bool>& stop, sqlite3* database)
    : wanted_off_(wanted_off), stop_(stop), database_(database) {
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

void Deadline::watch(std::chrono::steady_clock::time_point until) {
  constexpr std::chrono::milliseconds kLook{10};
  std::unique_lock lock(mutex_);
  while (!done_ && !over_ && !wanted_) {
    changed_.wait_until(lock, std::min(until, std::chrono::steady_clock::now() + kLook));
    if (wanted_off_ != nullptr && *wanted_off_) wanted_ = true;
    else if (std::chrono::steady_clock::now() >= until) over_ = true;
    if (!wanted_ && !over_) continue;
    stop_ = true;
    if (database_ != nullptr) sqlite3_interrupt(database_);
  }
}

}  // namespace polytrace::sql
