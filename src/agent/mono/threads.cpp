// SPDX-License-Identifier: Apache-2.0
// Threads have numbers of our own, because the runtime's ids come again.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/note.hpp"

namespace polytrace::agent::mono {
namespace {

// A thread that lives, for recordings that begin later.
struct Living {
  uintptr_t id;
  std::uint32_t number;
  base::Id os_thread;
  std::string name;
};

pthread_mutex_t g_threads_mutex = PTHREAD_MUTEX_INITIALIZER;
std::vector<Living> g_threads;

class Lock {
 public:
  Lock() { pthread_mutex_lock(&g_threads_mutex); }
  ~Lock() { pthread_mutex_unlock(&g_threads_mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  const Recording recording_;
};

// REQUIRES: the lock.
Living* find(uintptr_t id) {
  const auto found = std::find_if(g_threads.begin(), g_threads.end(),
                                  [id](const Living& t) { return t.id == id; });
  return found == g_threads.end() ? nullptr : &*found;
}

// REQUIRES: the lock.
void forget(uintptr_t id) {
  std::erase_if(g_threads, [id](const Living& thread) { return thread.id == id; });
}

void tell_begin(const Living& thread) {
  event::Thread details;
  details.os_thread = thread.os_thread;
  define(details, thread.number);
}

void tell_name(const Living& thread) {
  event::Thread details;
  details.life = event::Life::name;
  details.name = thread.name;
  define(details, thread.number);
}

// On the new thread.
void on_started(MonoProfiler*, uintptr_t id) {
  number_thread();
  const Lock lock;
  forget(id);
  g_threads.push_back({id, t_marks.number, static_cast<base::Id>(gettid()), {}});
  tell_begin(g_threads.back());
}

// On the thread that ends.
void on_stopped(MonoProfiler*, uintptr_t id) {
  const Recording recording;
  end_cpu();
  event::Thread details;
  details.life = event::Life::end;
  note(details, t_marks.number);
  const Lock lock;
  forget(id);
  end_thread();
}

// On any thread.
void on_named(MonoProfiler*, uintptr_t id, const char* name) {
  const Lock lock;
  Living* thread = find(id);
  if (thread == nullptr) return;
  thread->name = or_empty(name);
  tell_name(*thread);
}

}  // namespace

void tell_threads() {
  const Lock lock;
  for (const Living& thread : g_threads) {
    tell_begin(thread);
    if (!thread.name.empty()) tell_name(thread);
  }
}

void install_threads(MonoProfilerHandle runtime) {
  mono_profiler_set_thread_started_callback(runtime, on_started);
  mono_profiler_set_thread_stopped_callback(runtime, on_stopped);
  mono_profiler_set_thread_name_callback(runtime, on_named);
}

}  // namespace polytrace::agent::mono
