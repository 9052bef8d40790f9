// SPDX-License-Identifier: Apache-2.0
// CPU times of the process and its threads, each what was used since the record before. A thread of
// ours reads the system's clocks of them.
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

struct Used {
  LivingThread thread;
  base::Duration used;
  bool living;
};

class Times {
 public:
  void take();

 private:
  void take_process();
  void take_threads();
  void take_thread(Used& one);

  base::Duration process_ = cpu_of_process();
  std::vector<LivingThread> living_;
  std::vector<Used> threads_;
};

void Times::take() {
  if (settings().cpu_process) take_process();
  if (settings().cpu_threads) take_threads();
}

void Times::take_process() {
  const base::Duration used = cpu_of_process();
  event::Cpu details;
  details.scope = event::CpuScope::process;
  details.used = std::max(used - process_, base::Duration{0});
  process_ = used;
  define(details, base::kNoId);
}

// A thread's first record comes an interval after it was first seen.
void Times::take_threads() {
  living_threads(living_);
  for (Used& one : threads_) one.living = false;
  for (const LivingThread& thread : living_) {
    const auto known = std::ranges::find(threads_, thread.number,
                                         [](const Used& one) { return one.thread.number; });
    if (known == threads_.end()) {
      threads_.push_back(
          {thread, std::max(cpu_of_thread(thread.os_thread), base::Duration{0}), true});
    } else {
      known->living = true;
      take_thread(*known);
    }
  }
  std::erase_if(threads_, [](const Used& one) { return !one.living; });
  switch_thread(base::kNoId);
}

void Times::take_thread(Used& one) {
  const base::Duration used = cpu_of_thread(one.thread.os_thread);
  if (used < one.used) return;
  event::Cpu details;
  details.scope = event::CpuScope::thread;
  details.used = used - one.used;
  one.used = used;
  const HeldThread held(one.thread.number);
  if (!held) return;
  switch_thread(one.thread.number);
  emit(details, base::kNoId);
}

// While recording is paused, usage goes on adding up.
void* run_cpu_times(void*) {
  number_thread();
  Times times;
  while (g_ticker.wait())
    if (Recorder::the().running()) times.take();
  if (Recorder::the().running()) times.take();
  end_thread();
  return nullptr;
}

}  // namespace

void start_cpu_times() {
  if (!settings().cpu_process && !settings().cpu_threads) return;
  g_ticker.start(static_cast<base::Duration>(settings().cpu_interval), run_cpu_times);
}
void stop_cpu_times() { g_ticker.stop(); }

}  // namespace polytrace::agent::coreclr
