// SPDX-License-Identifier: Apache-2.0
// Sets a question's stop flag, and interrupts its engine, when its time is over or its user wants
// no more.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace polytrace::sql {

class Deadline {
 public:
  // `interrupt` is called on a thread of its own; empty: the flag alone tells.
  Deadline(std::chrono::milliseconds time, const std::atomic<bool>* wanted_off,
           std::atomic<bool>& stop, std::function<void()> interrupt = {});
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { end(); }
  // From now on nothing happens, and what is said below stays so.
  void end();

  bool is_over() const { return over_; }
  bool was_wanted() const { return wanted_; }
  bool is_ended() const { return over_ || wanted_; }

 private:
  void watch(std::chrono::steady_clock::time_point until);

  const std::atomic<bool>* wanted_off_;
  std::atomic<bool>& stop_;
  std::function<void()> interrupt_;
  std::atomic<bool> over_{false}, wanted_{false};
  std::mutex mutex_;  // guards done_
  std::condition_variable changed_;
  bool done_ = false;
  std::thread watcher_;  // last: it uses what is above
};

}  // namespace polytrace::sql
