// SPDX-License-Identifier: Apache-2.0
// What runs on a trace, to be ended from outside. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace polytrace::capi {

class Stops {
 public:
  using Flag = std::shared_ptr<std::atomic<bool>>;

  // Set when what runs now is to end; whoever runs keeps it until its end.
  Flag begin() {
    const std::lock_guard lock(mutex_);
    std::erase_if(running_, [](const auto& flag) { return flag.expired(); });
    auto flag = std::make_shared<std::atomic<bool>>(false);
    running_.push_back(flag);
    return flag;
  }
  void stop_all() {
    const std::lock_guard lock(mutex_);
    for (const auto& running : running_)
      if (const Flag flag = running.lock()) *flag = true;
  }

 private:
  std::mutex mutex_;  // guards running_
  std::vector<std::weak_ptr<std::atomic<bool>>> running_{};
};

}  // namespace polytrace::capi
