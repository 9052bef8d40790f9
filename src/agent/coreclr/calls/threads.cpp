// SPDX-License-Identifier: Apache-2.0
// Threads have numbers of our own, because the runtime's ids come again. A thread is announced on
// itself, and ends on itself; it may have a name before it is announced.
#include "agent/coreclr/calls/threads.hpp"

#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

#include "agent/common/runtime/note.hpp"
#include "agent/common/tools/guard.hpp"
#include "agent/coreclr/names/utf8.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"

namespace polytrace::agent::coreclr {
namespace {

using event::Life;

struct Living {
  RuntimeId id;
  std::uint32_t number = 0;  // 0: not announced yet
  std::uint32_t os_thread = 0;
  std::string name;
};

pthread_mutex_t g_threads_mutex = PTHREAD_MUTEX_INITIALIZER;
std::vector<Living> g_threads;

// REQUIRES: the lock. Makes it where there is none.
Living& living(RuntimeId id) {
  const auto found = std::ranges::find(g_threads, id, &Living::id);
  if (found != g_threads.end()) return *found;
  g_threads.push_back({.id = id, .name = {}});
  return g_threads.back();
}

void tell_begin(const Living& thread) {
  event::Thread details;
  details.object = thread.id;
  details.os_thread = thread.os_thread;
  define(details, thread.number);
}

void tell_name(const Living& thread) {
  if (thread.name.empty()) return;
  event::Thread details;
  details.life = Life::name;
  details.name = thread.name;
  define(details, thread.number);
}

// The runtime may run a thread on another one of the system.
void move(Living& thread, std::uint32_t os_thread) {
  if (thread.os_thread == os_thread) return;
  thread.os_thread = os_thread;
  event::Thread details;
  details.life = Life::name;
  details.os_thread = os_thread;
  define(details, thread.number);
}

}  // namespace

HResult on_thread_assigned(RuntimeId id, std::uint32_t os_thread) {
  number_thread();
  const Guard guard(g_threads_mutex);
  Living& thread = living(id);
  if (thread.number != 0) {
    move(thread, os_thread);
    return kOk;
  }
  thread.number = t_marks.number;
  thread.os_thread = os_thread;
  tell_begin(thread);
  tell_name(thread);
  return kOk;
}

HResult on_thread_destroyed(RuntimeId id) {
  std::uint32_t number = 0;
  {
    const Guard guard(g_threads_mutex);
    number = living(id).number;
    std::erase_if(g_threads, [id](const Living& thread) { return thread.id == id; });
  }
  event::Thread details;
  details.life = Life::end;
  if (number != 0 && number != t_marks.number) define(details, number);
  if (number == 0 || number != t_marks.number) return kOk;
  const Recording recording;
  end_cpu();
  note(details, number);
  end_thread();
  return kOk;
}

HResult on_thread_named(RuntimeId id, std::uint32_t size, const char16_t* name) {
  const Guard guard(g_threads_mutex);
  Living& thread = living(id);
  thread.name = name == nullptr ? std::string() : utf8({name, size});
  if (thread.number != 0) tell_name(thread);
  return kOk;
}

void living_threads(std::vector<LivingThread>& threads) {
  threads.clear();
  const Guard guard(g_threads_mutex);
  for (const Living& thread : g_threads)
    if (thread.number != 0) threads.push_back({thread.id, thread.number, thread.os_thread});
}

HeldThread::HeldThread(std::uint32_t number) {
  pthread_mutex_lock(&g_threads_mutex);
  lives_ = std::ranges::find(g_threads, number, &Living::number) != g_threads.end();
}
HeldThread::~HeldThread() { pthread_mutex_unlock(&g_threads_mutex); }

base::Duration cpu_of_process() {
  constexpr base::Duration kSecond = 1'000'000'000;
  timespec used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return -1;
  return used.tv_sec * kSecond + used.tv_nsec;
}

void tell_threads() {
  const Guard guard(g_threads_mutex);
  for (const Living& thread : g_threads) {
    if (thread.number == 0) continue;
    tell_begin(thread);
    tell_name(thread);
  }
}

}  // namespace polytrace::agent::coreclr
