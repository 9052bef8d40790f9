// SPDX-License-Identifier: Apache-2.0
// Who makes answers: some workers, and two queues. What is quick never waits behind what is slow:
// one worker takes nothing else. Any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace polytrace::server {

// What waits for others, a store or a collector, has workers of its own.
enum class Lane : std::uint8_t { quick, slow, store };

class Jobs {
 public:
  static constexpr std::size_t kMostWaiting = 64;

  explicit Jobs(unsigned workers);
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // False: too many wait.
  bool add(Lane lane, std::function<void()> job);
  // Ends when the jobs at work have ended; what waits is dropped.
  void finish();

 private:
  void work(bool only_quick);

  std::mutex mutex_;  // guards what follows
  std::condition_variable more_;
  std::deque<std::function<void()>> quick_;
  std::deque<std::function<void()>> slow_;
  bool ended_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace polytrace::server
