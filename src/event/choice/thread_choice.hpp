// SPDX-License-Identifier: Apache-2.0
// Threads that were chosen, by their ids; where none was, every thread counts. Copies own theirs;
// thread-safe while nobody assigns.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace polytrace::event {

class ThreadChoice {
 public:
  ThreadChoice() = default;
  explicit ThreadChoice(std::vector<base::Id> ids) : ids_(std::move(ids)) {
    std::ranges::sort(ids_);
  }

  bool is_everyone() const { return ids_.empty(); }
  bool has(base::Id thread) const {
    return ids_.empty() || std::ranges::binary_search(ids_, thread);
  }
  // In order; empty: everyone.
  const std::vector<base::Id>& ids() const { return ids_; }

 private:
  std::vector<base::Id> ids_;
};

}  // namespace polytrace::event
