// SPDX-License-Identifier: Apache-2.0
// How callbacks record: on the calling thread, which gets its number first.
#pragma once

#include <atomic>

#include "agent/common/record/recorder.hpp"

namespace polytrace::agent::coreclr {

// Of the calling thread; 0 = none yet.
extern thread_local constinit std::uint32_t t_number __attribute__((tls_model("initial-exec")));

inline bool is_recording() {
  const State state = Recorder::the().state();
  return state == State::kRunning || state == State::kPaused;
}

// Gives the calling thread a number of its own, once.
void number_thread_slowly();
inline void number_thread() {
  if (t_number == 0) [[unlikely]]
    number_thread_slowly();
}

template <class T>
void note(const T& details, base::Id subject, const Lists& lists = {}) {
  number_thread();
  emit(details, subject, lists);
}

}  // namespace polytrace::agent::coreclr
