// SPDX-License-Identifier: Apache-2.0
// A caller who looks at how far reading has come, and may stop it.
#pragma once

#include <atomic>

#include "capi/error.hpp"
#include "service/input/asking.hpp"

namespace polytrace::capi {

class Progress final : public service::Watcher {
 public:
  Progress(pt_progress progress, void* user, std::atomic<bool>& stop)
      : progress_(progress), user_(user), stop_(stop) {}
  void update(const base::Source& source) override {
    const std::uint64_t total = source.stored_size().value_or(0);
    if (progress_(user_, source.stored_position(), total) != 0) stop_ = true;
  }

 private:
  pt_progress progress_;
  void* user_;
  std::atomic<bool>& stop_;
};

// `progress` may be null. `stop` outlives what is asked.
inline service::Asking asking_of(pt_progress progress, void* user, std::atomic<bool>& stop) {
  service::Asking asking{.stop = &stop};
  if (progress != nullptr)
    asking.watch = [=, &stop] { return std::make_unique<Progress>(progress, user, stop); };
  return asking;
}

}  // namespace polytrace::capi
