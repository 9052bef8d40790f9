// SPDX-License-Identifier: Apache-2.0
// Stack samples. CoreCLR on Linux lets no thread look at another that runs: a thread of ours stops
// the runtime, gathers the stacks of all threads that are due, lets it go, and records what it
// found. Threads stop where the runtime can stop them, so samples lie at calls and loop ends.
//
// By CPU time, a thread is due when it has used an interval since its last sample.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "agent/common/memory/clock.hpp"
#include "agent/common/runtime/note.hpp"
#include "agent/common/tools/guard.hpp"
#include "agent/common/tools/quiet_thread.hpp"
#include "agent/coreclr/calls/stacks.hpp"
#include "agent/coreclr/calls/threads.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

constexpr Method<7, std::uint32_t, RuntimeId*, std::uint32_t*> kNext;  // of ICorProfilerThreadEnum
constexpr base::Duration kSampleSecond = 1'000'000'000;

pthread_t g_thread;
pthread_mutex_t g_samples_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
bool g_running = false;
bool g_stop = false;

timespec sample_timespec(base::Time time) { return {time / kSampleSecond, time % kSampleSecond}; }

// CPU time of a thread of this process, as the kernel numbers such clocks; -1: it is gone.
base::Duration cpu_of(std::uint32_t os_thread) {
  constexpr clockid_t kOfThread = 6;
  const clockid_t clock = static_cast<clockid_t>(~os_thread << 3) | kOfThread;
  timespec used{};
  if (clock_gettime(clock, &used) != 0) return -1;
  return used.tv_sec * kSampleSecond + used.tv_nsec;
}

struct Sampled {
  LivingThread thread;
  base::Duration used = 0;  // CPU time at its last sample, or when it was first seen
  std::uint64_t due = 0;    // intervals
  bool living = true;
  StackFrames frames{};
};

class Sampler {
 public:
  explicit Sampler(base::Duration interval) : interval_(interval) {}

  void tick() {
    look_around();
    if (std::ranges::none_of(threads_, [](const Sampled& one) { return one.due != 0; })) return;
    // A collection that runs is no time to look: what is due stays so.
    if (!ask(info::kSuspendRuntime)) return;
    gather();
    ask(info::kResumeRuntime);
    record();
  }

 private:
  void look_around();
  void count_due(Sampled& one) const;
  void gather();
  void record();

  base::Duration interval_;
  std::vector<LivingThread> living_;
  std::vector<Sampled> threads_;
};

void Sampler::look_around() {
  living_threads(living_);
  for (Sampled& one : threads_) one.living = false;
  for (const LivingThread& thread : living_) {
    const auto known = std::ranges::find(threads_, thread.number,
                                         [](const Sampled& one) { return one.thread.number; });
    if (known != threads_.end()) known->living = true;
    else threads_.push_back({.thread = thread, .used = cpu_of(thread.os_thread)});
  }
  std::erase_if(threads_, [](const Sampled& one) { return !one.living; });
  for (Sampled& one : threads_) count_due(one);
}

void Sampler::count_due(Sampled& one) const {
  if (settings().wall_clock) {
    ++one.due;
    return;
  }
  const base::Duration used = cpu_of(one.thread.os_thread);
  if (used < one.used + interval_) return;
  const base::Duration intervals = (used - one.used) / interval_;
  one.due += static_cast<std::uint64_t>(intervals);
  one.used += intervals * interval_;
}

// While the runtime stands: no lock, no name. Only what the runtime still lists can be asked for.
void Sampler::gather() {
  Held threads;
  if (!ask(info::kEnumThreads, threads.place())) return;
  RuntimeId id = 0;
  std::uint32_t got = 0;
  while (call(threads.get(), kNext, 1, &id, &got) == kOk && got == 1) {
    const auto found = std::ranges::find(
        threads_, id, [](const Sampled& one) { return one.due != 0 ? one.thread.id : 0; });
    if (found != threads_.end()) found->frames.gather(id, settings().common.stack_depth);
  }
}

void Sampler::record() {
  for (Sampled& one : threads_) {
    if (one.due == 0 || !one.frames.present()) continue;
    one.frames.resolve();
    event::Sample details;
    details.mode = settings().wall_clock ? event::SampleMode::wall : event::SampleMode::cpu;
    details.weight = one.due;
    details.stack = one.frames.stack();
    const HeldThread held(one.thread.number);
    if (!held) continue;
    switch_thread(one.thread.number);
    emit(details, one.thread.number, one.frames.lists());
    one.due = 0;
    one.frames.clear();
  }
  switch_thread(base::kNoId);
}

// True: `until` has come, false: it is time to end.
bool sleep_until(base::Time until) {
  const timespec then = sample_timespec(until);
  const Guard guard(g_samples_mutex);
  while (!g_stop &&
         pthread_cond_clockwait(&g_changed, &g_samples_mutex, CLOCK_MONOTONIC, &then) == 0) {
  }
  return !g_stop;
}

// Who asks for little at a time gets a processor sooner, from Linux 6.12 on; nobody else need be
// moved in favour of it. Where no processor is free, samples lie where Linux preempts otherwise:
// in system calls.
void hurry() {
  struct Attributes {
    std::uint32_t size = sizeof(Attributes);
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t slice = 100'000;  // nanoseconds
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
  };
  Attributes attributes;
  attributes.nice = getpriority(PRIO_PROCESS, 0);
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

// Ticks that were missed are not made up for.
void* run_samples(void*) {
  const auto interval = static_cast<base::Duration>(settings().common.events.sample_interval);
  number_thread();
  hurry();
  Sampler sampler(interval);
  base::Time next = monotonic_now() + interval;
  while (sleep_until(next)) {
    if (Recorder::the().running()) sampler.tick();
    next = std::max(next + interval, monotonic_now());
  }
  end_thread();
  return nullptr;
}

}  // namespace

void start_samples() {
  if (settings().common.events.sample_interval == 0) return;
  g_running = start_quiet_thread(g_thread, run_samples, nullptr) == 0;
}

// The thread may be waiting for a runtime that ends and does not stop any more.
void stop_samples() {
  if (!g_running) return;
  {
    const Guard guard(g_samples_mutex);
    g_stop = true;
    pthread_cond_signal(&g_changed);
  }
  const timespec deadline = sample_timespec(monotonic_now() + kSampleSecond);
  pthread_clockjoin_np(g_thread, nullptr, CLOCK_MONOTONIC, &deadline);
  g_running = false;
}

}  // namespace polytrace::agent::coreclr
