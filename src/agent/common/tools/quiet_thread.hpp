// SPDX-License-Identifier: Apache-2.0
// A thread of ours inside another program, in which no signal of the program is handled.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace polytrace::agent {

// Gives errno, 0 for success.
inline int start_quiet_thread(pthread_t& thread, void* (*run)(void*), void* argument) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&thread, nullptr, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace polytrace::agent
