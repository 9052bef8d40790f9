// SPDX-License-Identifier: Apache-2.0
// Sets a question's stop flag, and interrupts SQLite, when its time is over or its user wants no
// more.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace polytrace::sql {

class Deadline {
 public:
  // The database must outlive it. Null: nothing is interrupted, which would end all its statements
  // that have begun.
  Deadline(std::chrono::milliseconds time, const std::atomic<bool>* wanted_off,
           std::atomic<bool>& stop, sqlite3* database);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { end(); }
  // From now on nothing happens, and what is said below stays so.
  void end();

  bool is_over() const { return over_; }
  bool was_wanted() const { return wanted_; }

 private:
  void watch(std::chrono::steady_clock::time_point until);

  const std::atomic<bool>* wanted_off_;
  std::atomic<bool>& stop_;
  sqlite3* database_;
  std::atomic<bool> over_{false}, wanted_{false};
  std::mutex mutex_;  // guards done_
  std::condition_variable changed_;
  bool done_ = false;
  std::thread watcher_;  // last: it uses what is above
};

}  // namespace polytrace::sql
