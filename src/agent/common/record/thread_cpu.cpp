// SPDX-License-Identifier: Apache-2.0
#include "agent/common/record/thread_cpu.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "agent/common/record/thread_words.hpp"
#include "agent/common/stream/session.hpp"
#include "agent/common/tools/guard.hpp"

namespace polytrace::agent {
namespace {

// A thread that is watched.
struct CpuSlot {
  std::uint64_t session = 0;  // of the recorder
  std::uint64_t thread = 0;   // whom the events belong to
  base::Duration used = 0;    // at the last reading
  base::Time read_at = 0;     // when that was
  std::int32_t system = 0;    // the thread's number at the system
  std::uint32_t next = 0;     // of those that are free
  bool taken = false;
  bool idle = false;  // its last event said that it used none
  bool gap = false;   // there was no event at the last reading, or none at all yet
};

// Side by side, not beside what else threads have: all are looked at each time. Guarded by a mutex
// of their own, for which no event waits.
constexpr std::uint32_t kMostWatched = 16384;  // at once; more have no CPU time
struct Watched {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<std::uint32_t> used = 1;  // slots that were ever taken; 0 stands for none
  std::uint32_t free = 0;               // the first one
  CpuSlot slots[kMostWatched + 1];
};
constinit Watched g_watched;

// As the kernel numbers the clocks of threads. -1: the thread is gone.
base::Duration read_cpu(std::int32_t thread) {
  constexpr base::Duration kSecond = 1'000'000'000;
  constexpr std::uint32_t kOfThread = 6;
  const auto clock = static_cast<clockid_t>(~static_cast<std::uint32_t>(thread) << 3 | kOfThread);
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return -1;
  return base::Duration{time.tv_sec} * kSecond + time.tv_nsec;
}

// REQUIRES: the mutex. 0: there are too many.
std::uint32_t take_slot() {
  const std::uint32_t slot = g_watched.free;
  if (slot != 0) g_watched.free = g_watched.slots[slot].next;
  else if (g_watched.used > kMostWatched) return 0;
  const std::uint32_t taken = slot != 0 ? slot : g_watched.used++;
  g_watched.slots[taken] = {};
  g_watched.slots[taken].taken = true;
  return taken;
}

// REQUIRES: the mutex.
void free_slot(std::uint32_t slot) {
  g_watched.slots[slot].taken = false;
  g_watched.slots[slot].next = std::exchange(g_watched.free, slot);
}

// REQUIRES: the mutex, a claim of `path`. An event that says what was used since the last reading,
// or that it was nothing for the first time.
void read_slot(CpuSlot& slot, SlowPath& path) {
  const base::Duration used = read_cpu(slot.system);
  if (used < slot.used) return;
  const base::Time now = path.session().clock.time();
  event::Cpu event;
  event.scope = event::CpuScope::thread;
  event.used = used - slot.used;
  if (slot.gap) event.span = now - slot.read_at;
  slot.used = used;
  slot.read_at = now;
  slot.gap = slot.idle && event.used == 0;
  if (slot.gap) return;
  slot.idle = event.used == 0;
  path.put_cpu(slot.thread, event);
}

bool is_running() { return g_state.load(std::memory_order_acquire) == State::running; }

// Reading a clock takes half a microsecond to one. So of many threads not all are read each time:
// of those that used some at their last reading, and of those that used none, so many, in turn.
class Turns {
 public:
  // `all`: whose turn it is does not matter.
  void begin(bool all) {
    all_ = all;
    ++turn_;
    for (Sort& sort : sorts_) sort.count = 0;
  }
  bool has(const CpuSlot& slot) {
    Sort& sort = sorts_[slot.idle ? 1 : 0];
    ++sort.count;
    return all_ || (turn_ + static_cast<std::uint32_t>(slot.system)) % sort.stride == 0;
  }
  void end() {
    constexpr std::uint32_t kReads = 128;
    for (Sort& sort : sorts_) sort.stride = sort.count / kReads + 1;
  }

 private:
  struct Sort {
    std::uint32_t stride = 1;
    std::uint32_t count = 0;
  };
  Sort sorts_[2];
  std::uint32_t turn_ = 0;
  bool all_ = false;
};
constinit Turns g_turns;  // the writer thread's

constexpr std::uint32_t kBatch = 64;  // read while the mutex is held once

// A batch, from slot `from` on: where the next one begins; 0 after the last, or for lack of memory.
std::uint32_t record_batch(const Session& session, std::uint32_t from) {
  SlowPath path;
  const std::uint32_t room = std::min(g_watched.used.load(std::memory_order_relaxed), kBatch);
  if (path.idle() || !path.try_claim(room * SlowPath::kCpuWords, Patience::never)) return 0;
  const Guard guard(g_watched.mutex);
  std::uint32_t reads = 0;
  for (std::uint32_t i = from; i < g_watched.used; ++i) {
    CpuSlot& slot = g_watched.slots[i];
    if (!slot.taken || slot.session != session.number || !g_turns.has(slot)) continue;
    read_slot(slot, path);
    if (++reads == room) return i + 1;
  }
  return 0;
}

}  // namespace

void watch_cpu(const Session& session, Patience patience) {
  ThreadBuffer& buffer = t_buffer;
  if (session.options.cpu == 0 || buffer.cpu_ended) return;
  if (buffer.cpu_slot != 0 && buffer.cpu_session == session.number) return;
  const Guard guard(g_watched.mutex, patience == Patience::policy);
  if (!guard.held()) return;
  if (buffer.cpu_slot == 0) buffer.cpu_slot = take_slot();
  if (buffer.cpu_slot == 0) return;
  buffer.cpu_session = session.number;
  CpuSlot& slot = g_watched.slots[buffer.cpu_slot];
  slot.session = session.number;
  slot.thread = buffer.thread;
  slot.system = gettid();
  slot.read_at = session.clock.time();
  slot.used = std::max(read_cpu(slot.system), base::Duration{0});
  slot.gap = true;
  slot.idle = false;
  watch_end_of_thread();
}

// No thread without a name has this number.
void begin_cpu_thread() {
  t_buffer.named = true;
  t_buffer.thread = std::uint64_t{1} << 62;
  t_buffer.cpu_ended = true;
}

void end_cpu_thread() { end_thread(); }

void record_cpu(const Session& session, bool all) {
  g_turns.begin(all);
  for (std::uint32_t from = 1; from != 0 && is_running();) from = record_batch(session, from);
  g_turns.end();
}

void end_cpu() {
  ThreadBuffer& buffer = t_buffer;
  if (buffer.cpu_slot == 0) return;
  switch_thread(base::kNoId);
  SlowPath path;
  const bool records = !path.idle() && buffer.cpu_session == path.session().number &&
                       is_running() && path.claim(SlowPath::kCpuWords, Patience::policy);
  const Guard guard(g_watched.mutex);
  if (records) read_slot(g_watched.slots[buffer.cpu_slot], path);
  free_slot(std::exchange(buffer.cpu_slot, 0));
  buffer.cpu_ended = true;
}

void forget_cpu() {
  g_watched.mutex = PTHREAD_MUTEX_INITIALIZER;
  g_watched.used = 1;
  g_watched.free = 0;
  t_buffer.cpu_slot = 0;
}

}  // namespace polytrace::agent
