// SPDX-License-Identifier: Apache-2.0
// A thread of ours that does something at an interval, until it is stopped.
#pragma once

#include <pthread.h>

#include "base/types.hpp"

namespace polytrace::agent::coreclr {

class Ticker {
 public:
  // Starts a thread that calls wait() for each of its ticks.
  void start(base::Duration interval, void* (*run)(void*));
  // False: it is time to end. Ticks that were missed are not made up for.
  bool wait();
  // Awaits the thread for a second at most. Nothing where none was started.
  void stop();

 private:
  pthread_t thread_{};
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  base::Duration interval_ = 0;
  base::Time next_ = 0;
  bool running_ = false;
  bool stop_ = false;
};

}  // namespace polytrace::agent::coreclr
