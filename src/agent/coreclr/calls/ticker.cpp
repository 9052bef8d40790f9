// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/calls/ticker.hpp"

#include <time.h>

#include <algorithm>

#include "agent/common/memory/clock.hpp"
#include "agent/common/tools/guard.hpp"
#include "agent/common/tools/quiet_thread.hpp"

namespace polytrace::agent::coreclr {
namespace {

constexpr base::Duration kSecond = 1'000'000'000;

timespec timespec_of(base::Time time) { return {time / kSecond, time % kSecond}; }

}  // namespace

void Ticker::start(base::Duration interval, void* (*run)(void*)) {
  interval_ = interval;
  next_ = monotonic_now() + interval;
  running_ = start_quiet_thread(thread_, run, nullptr) == 0;
}

bool Ticker::wait() {
  const timespec then = timespec_of(next_);
  const Guard guard(mutex_);
  while (!stop_ && pthread_cond_clockwait(&changed_, &mutex_, CLOCK_MONOTONIC, &then) == 0) {
  }
  next_ = std::max(next_ + interval_, monotonic_now());
  return !stop_;
}

void Ticker::stop() {
  if (!running_) return;
  {
    const Guard guard(mutex_);
    stop_ = true;
    pthread_cond_signal(&changed_);
  }
  const timespec deadline = timespec_of(monotonic_now() + kSecond);
  pthread_clockjoin_np(thread_, nullptr, CLOCK_MONOTONIC, &deadline);
  running_ = false;
}

}  // namespace polytrace::agent::coreclr
