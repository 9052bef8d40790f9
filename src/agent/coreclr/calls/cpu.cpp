// SPDX-License-Identifier: Apache-2.0
// CPU time of the process, each record what was used since the one before. A thread of ours reads
// the system's clock of it. Threads' times are the recorder's (agent/common/record/thread_cpu.hpp).
#include <pthread.h>
#include <time.h>

#include <algorithm>

#include "agent/common/memory/clock.hpp"
#include "agent/common/runtime/note.hpp"
#include "agent/common/tools/guard.hpp"
#include "agent/common/tools/quiet_thread.hpp"
#include "agent/coreclr/calls/threads.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

// A thread of ours that does something at an interval, until it is stopped.
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

constexpr base::Duration kSecond = 1'000'000'000;

timespec timespec_of(base::Time time) { return {time / kSecond, time % kSecond}; }

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

Ticker g_ticker;

class ProcessTime {
 public:
  void take();

 private:
  base::Duration used_ = cpu_of_process();
};

void ProcessTime::take() {
  const base::Duration used = cpu_of_process();
  event::Cpu details;
  details.scope = event::CpuScope::process;
  details.used = std::max(used - used_, base::Duration{0});
  used_ = used;
  define(details, base::kNoId);
}

// While recording is paused, usage goes on adding up.
void* run_cpu_times(void*) {
  ProcessTime time;
  while (g_ticker.wait())
    if (Recorder::the().running()) time.take();
  if (Recorder::the().running()) time.take();
  return nullptr;
}

}  // namespace

void start_cpu_times() {
  if (!settings().cpu_process) return;
  g_ticker.start(static_cast<base::Duration>(settings().cpu_interval), run_cpu_times);
}
void stop_cpu_times() { g_ticker.stop(); }

}  // namespace polytrace::agent::coreclr
