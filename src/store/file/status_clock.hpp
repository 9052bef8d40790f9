// SPDX-License-Identifier: Apache-2.0
// Splits the time of a thread by its waits. One thread at a time.
#pragma once

#include <algorithm>
#include <span>

#include "store/file/block_layout.hpp"

namespace polytrace::store {

class StatusClock {
 public:
  struct Split {
    std::uint64_t blocked = 0;  // nanoseconds
    std::uint64_t waiting = 0;
  };

  // `changes` in order; before the first the thread does not wait. They must outlive it.
  StatusClock(std::span<const StatusChange> changes, base::Time from)
      : next_(changes.begin()), end_(changes.end()), now_(from) {
    pass(from);
  }
  // Of the time since the last one, or the beginning. REQUIRES: `to` is not before that.
  Split upto(base::Time to) {
    Split split;
    while (next_ != end_ && next_->at <= to) {
      count(next_->at, split);
      status_ = (next_++)->to;
    }
    count(to, split);
    return split;
  }
  // Goes on without counting.
  void pass(base::Time to) {
    for (; next_ != end_ && next_->at <= to; ++next_) status_ = next_->to;
    now_ = std::max(now_, to);
  }
  Status status() const { return status_; }

 private:
  void count(base::Time to, Split& split) {
    const std::uint64_t time = base::elapsed(now_, to);
    if (status_ == Status::blocked) split.blocked += time;
    if (status_ == Status::waiting) split.waiting += time;
    now_ = std::max(now_, to);
  }

  std::span<const StatusChange>::iterator next_;
  std::span<const StatusChange>::iterator end_;
  base::Time now_;
  Status status_ = Status::none;
};

}  // namespace polytrace::store
