// SPDX-License-Identifier: Apache-2.0
// The thread that moves segments into the stream. It waits for nobody but its output: not for the
// runtime, not for threads that record. All signals are blocked in it.
//
// A round: full segments in the order they were filled, then what open segments hold so far (every
// Options::flush milliseconds, or when asked); before each block, the definitions that are there.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>

#include "agent/common/memory/segment_queue.hpp"
#include "agent/common/memory/status.hpp"
#include "agent/common/stream/summary.hpp"
#include "agent/common/stream/summary_pace.hpp"
#include "base/types.hpp"
#include "format/native/wire/words.hpp"

namespace polytrace::agent {

struct Session;

class Writer {
 public:
  // `session` outlives the thread. Gives errno, 0 for success.
  int start(Session& session);
  // Asks for a round soon; any thread, also one that the runtime may suspend at any moment.
  void wake();
  // A round that takes everything recorded so far; with `dump` also what policy ring keeps. False
  // when it has not ended after `patience` ns.
  bool flush(base::Duration patience, bool dump);
  // The last round, the end of the stream and of the thread. False as above: then it goes on, and
  // stops when it can. Once.
  bool stop(base::Duration patience);

 private:
  struct Moved {  // of a segment
    std::uint64_t number;
    format::native::SegmentWords words;
    SummaryWords summed;
    std::uint32_t taken;  // words that blocks have taken
    bool damage_told;     // of `words`
  };
  static void* run(void* self);
  void loop();
  void take_cpu(base::Time now, bool all);
  base::Time next_round(base::Time due) const;
  // `all`: open segments too. `kept`: what policy ring keeps, too. `tables`: those of mode summary.
  void round(bool all, bool kept, bool tables);
  void finish();
  void end_recording();
  void fail(int error);
  void say_cut(const char* reason, int error) const;
  bool await(std::uint64_t round, base::Duration patience);
  std::uint64_t ask();

  SegmentQueue snapshot(bool all, bool kept);
  void move(std::uint32_t segment);
  void move_words(const format::native::SegmentHeader& header, Moved& moved);
  void sum_words(const format::native::SegmentHeader& header, Moved& moved);
  void put_summary();
  void release(std::uint32_t segment);
  void settle();
  void make_room();
  void count_lost(std::uint32_t segment);
  void put_losses();
  void put_lost(base::Id thread, std::uint64_t lost, std::uint64_t from, std::uint64_t to,
                const char* reason);
  // Whether recording has to end: what is in memory is left out then, but for what policy ring and
  // mode summary keep.
  bool is_cut();
  bool disk_is_full();
  void cut_off();
  void put_cut();

  Session* session_ = nullptr;
  pthread_t thread_{};
  sem_t wake_{};
  std::atomic<bool> woken_ = false;
  std::atomic<bool> dump_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> asked_ = 0;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t done_changed_ = PTHREAD_COND_INITIALIZER;
  std::uint64_t done_ = 0;  // the last round that was asked for and has ended
  bool ended_ = false;

  Moved* moved_ = nullptr;         // by segment
  std::uint32_t* open_ = nullptr;  // of this round
  std::uint32_t open_count_ = 0;
  Summary summary_;
  SummaryPace summary_pace_;
  SegmentQueue written_;            // when the output has them, they are free
  base::Time cpu_due_ = INT64_MAX;  // when clocks of threads are to be read
  base::Time end_due_ = INT64_MAX;  // when the recording has lasted as long as it was to
  base::Time looked_at_disk_ = 0;
  Cut cut_ = Cut::none;
  std::uint64_t ring_lost_ = 0;
  std::uint64_t ring_from_ = 0;
  std::uint64_t ring_to_ = 0;
};

}  // namespace polytrace::agent
