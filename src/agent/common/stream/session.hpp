// SPDX-License-Identifier: Apache-2.0
// All of one recording, from start() to stop(). Never freed: a thread may be in the middle of an
// event. And what outlives recordings: the list of threads. Only the recorder's own sources look in
// here.
#pragma once

#include <pthread.h>

#include <atomic>

#include "agent/common/memory/clock.hpp"
#include "agent/common/memory/losses.hpp"
#include "agent/common/memory/segment_queue.hpp"
#include "agent/common/memory/segments.hpp"
#include "agent/common/memory/status.hpp"
#include "agent/common/memory/thread_buffer.hpp"
#include "agent/common/options/options.hpp"
#include "agent/common/stream/block_writer.hpp"
#include "agent/common/stream/definitions.hpp"
#include "agent/common/stream/output.hpp"
#include "agent/common/stream/writer.hpp"

namespace polytrace::agent {

struct Session {
  Session* before = nullptr;  // of this process
  std::uint64_t number = 0;   // of this process, from 1
  std::uint64_t stream = 0;   // the random number of the stream
  Options options;
  Clock clock;
  Output output;
  Segments segments;
  Definitions definitions;
  BlockWriter blocks;
  Writer writer;
  std::uint32_t* links = nullptr;          // of segment queues
  std::atomic<std::uint64_t> numbers = 0;  // of segments with words
  std::atomic<std::uint32_t> pending = 0;  // full segments with words, not free again yet

  // Guarded by Threads::mutex: so that the queue and what threads have open fit together.
  Losses losses;  // of threads that are gone
  SegmentQueue full;
  std::uint32_t full_units = 0;
};

struct Threads {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  ThreadBuffer* first = nullptr;  // of those that record
};

extern constinit Threads g_threads;
extern constinit std::atomic<State> g_state;
extern constinit std::atomic<Session*> g_session;

// All threads ask on their next event what is wanted.
void disarm_all();

// The calling thread will record CPU times of the others: it is none of the program's.
void begin_cpu_thread();
// Events of the threads that are watched (record/thread_cpu.hpp): of all, or, where these are many,
// of those whose turn it is. Without free memory there are none, and the next ones say it all. On
// that thread only.
void record_cpu(const Session& session, bool all);
// What it recorded goes to the stream with the next round.
void end_cpu_thread();

}  // namespace polytrace::agent
