// SPDX-License-Identifier: Apache-2.0
// How callbacks of a runtime record: on the calling thread, which gets its number first, and with a
// mark that keeps a stack sample that comes as a signal out of the middle of an event.
#pragma once

#include <atomic>

#include "agent/common/record/recorder.hpp"

namespace polytrace::agent {

// Of the calling thread.
struct ThreadMarks {
  std::uint32_t number = 0;  // 0 = none yet
  // Between these and a signal handler of the same thread only the compiler stands.
  volatile bool recording = false;
};
extern thread_local constinit ThreadMarks t_marks __attribute__((tls_model("initial-exec")));

inline bool is_recording() {
  const State state = Recorder::the().state();
  return state == State::running || state == State::paused;
}

// Gives the calling thread a number of its own, once.
void number_thread_slowly();
inline void number_thread() {
  if (t_marks.number == 0) [[unlikely]]
    number_thread_slowly();
}

// Recording, for as long as this lives.
class Recording {
 public:
  Recording() : before_(t_marks.recording) {
    t_marks.recording = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Recording() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    t_marks.recording = before_;
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  bool before_;
};

template <class T>
void note(const T& details, base::Id subject, const Lists& lists = {},
          Patience patience = Patience::policy) {
  number_thread();
  const Recording recording;
  emit(details, subject, lists, patience);
}

}  // namespace polytrace::agent
