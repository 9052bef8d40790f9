// SPDX-License-Identifier: Apache-2.0
// Pause and resume by signal, as CoreProfiler's users know it. A handler may not record: it only
// wakes a thread of ours.
#include <errno.h>
#include <semaphore.h>
#include <signal.h>

#include <atomic>

#include "agent/common/runtime/note.hpp"
#include "agent/common/tools/quiet_thread.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

sem_t g_asked;
std::atomic<int> g_last_signal = 0;  // the signal that came last decides

int pausing() { return SIGRTMIN + 7; }
int resuming() { return SIGRTMIN + 8; }

void on_signal(int number) {
  const int error = errno;
  g_last_signal.store(number, std::memory_order_relaxed);
  sem_post(&g_asked);
  errno = error;
}

void* run_pauses(void*) {
  for (;;) {
    while (sem_wait(&g_asked) != 0) {
    }
    if (g_last_signal.load(std::memory_order_relaxed) == pausing()) Recorder::the().pause();
    else Recorder::the().resume();
  }
}

// A program that takes the signal itself keeps it.
void take(int number) {
  struct sigaction before{};
  if (sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction wanted{};
  wanted.sa_handler = on_signal;
  wanted.sa_flags = SA_RESTART;
  sigaction(number, &wanted, nullptr);
}

}  // namespace

void take_signals() {
  pthread_t thread{};
  if (!settings().signals || sem_init(&g_asked, 0, 0) != 0 ||
      start_quiet_thread(thread, run_pauses, nullptr) != 0)
    return;
  pthread_detach(thread);
  take(pausing());
  take(resuming());
}

}  // namespace polytrace::agent::coreclr
