// SPDX-License-Identifier: Apache-2.0
// Threads that do jobs: those of one lane one after another, in order, lanes side by side. Lanes
// outlive their jobs. Jobs do not throw.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace polytrace::collector {

class Workers {
 public:
  using Job = std::function<void()>;
  class Lane {
    friend class Workers;
    std::deque<Job> jobs_;
    bool taken_ = false;  // by a worker, or in line for one
  };

  explicit Workers(unsigned count);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { stop(); }

  // Any thread. After stop() nothing is taken any more.
  void add(Lane& lane, Job job);
  // Waits until nothing is left to do, at most so long. Whether nothing is.
  bool finish(std::chrono::milliseconds patience = std::chrono::hours(24));
  // Ends the threads behind the job that each is at; what waits is dropped.
  void stop();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable more_;
  std::condition_variable idle_;
  std::deque<Lane*> ready_;
  std::size_t busy_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace polytrace::collector
