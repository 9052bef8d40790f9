// SPDX-License-Identifier: Apache-2.0
// Holds a mutex for a block of code.
#pragma once

#include <pthread.h>

namespace polytrace::agent {

class Guard {
 public:
  // With `wait` false it may not get the mutex: held() tells.
  explicit Guard(pthread_mutex_t& mutex, bool wait = true)
      : mutex_(mutex),
        held_((wait ? pthread_mutex_lock(&mutex) : pthread_mutex_trylock(&mutex)) == 0) {}
  ~Guard() {
    if (held_) pthread_mutex_unlock(&mutex_);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  bool held() const { return held_; }

 private:
  pthread_mutex_t& mutex_;
  bool held_;
};

}  // namespace polytrace::agent
