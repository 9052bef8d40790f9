// SPDX-License-Identifier: Apache-2.0
// What a thread that records keeps in native thread-local memory. Only recorder.hpp and the
// recorder's own sources look in here.
#pragma once

#include <atomic>
#include <cstdint>

namespace polytrace::agent {

// One word of a segment. Zero until it is written; written once, whole, and seen by the writer
// thread only together with everything its thread did before.
using WordSlot = std::atomic<std::uint64_t>;

// The fast path needs the first three. `end` is the only way to stop a thread: another thread sets
// it to null, and the owner's next event takes the slow path, which asks what is wanted. Clocks
// other than the time stamp counter leave it null for good.
struct ThreadBuffer {
  WordSlot* next = nullptr;
  std::atomic<WordSlot*> end = nullptr;
  std::uint64_t base = 0;  // tick of the segment

  WordSlot* limit = nullptr;  // what `end` is while nothing stands against it
  std::uint64_t session = 0;  // of the recorder; another one: `next` and `limit` are void
  std::uint64_t thread = 0;   // the runtime's number; see `named`
  std::atomic<std::uint64_t> current =
      0;                      // whom the words belong to: another one for a virtual thread
  std::uint32_t segment = 0;  // unit of the pool, 0 = none
  std::uint32_t level = 0;    // size of the next segment, from how fast the last one was filled
  bool named = false;         // the agent told `thread`
  bool introduced = false;    // not named, but the stream has its name at the system
  bool listed = false;        // in the recorder's list
  bool inside = false;        // on the slow path: what it calls is not recorded

  // Not recorded since the last word; the writer thread reads them.
  std::atomic<std::uint64_t> lost = 0;
  std::atomic<std::uint64_t> lost_from = 0;  // ticks
  std::atomic<std::uint64_t> lost_to = 0;

  ThreadBuffer* before = nullptr;  // the recorder's list
  ThreadBuffer* after = nullptr;

  std::uint32_t cpu_slot = 0;     // whose CPU clock is read (record/thread_cpu.hpp), 0 = not
  bool cpu_ended = false;         // its last CPU event was recorded: not to be watched by itself
  std::uint64_t cpu_session = 0;  // of the recorder that watches it
};

extern thread_local constinit ThreadBuffer t_buffer __attribute__((tls_model("initial-exec")));

// The counter the fast path reads. Where there is none, `end` is never set and this never called.
inline std::uint64_t read_counter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

// The compiler's own would fetch the line to be read, as not every processor knows this one; those
// that do not pass over it.
inline void prefetch_to_write(const void* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1, 3);
#endif
}

}  // namespace polytrace::agent
