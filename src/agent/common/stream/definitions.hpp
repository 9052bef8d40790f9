// SPDX-License-Identifier: Apache-2.0
// The agent-wide run of definitions, in segments of records, and the sites that wait for the
// stream. define() and add_site() on any thread; drain() on the writer's.
#pragma once

#include <pthread.h>

#include <atomic>

#include "agent/common/memory/segment_queue.hpp"
#include "agent/common/memory/segments.hpp"
#include "agent/common/stream/block_writer.hpp"
#include "agent/common/stream/event_body.hpp"
#include "format/native/wire/sealing.hpp"

namespace polytrace::agent {

class Definitions {
 public:
  enum class Outcome { done, no_room, too_large };

  // False: no memory. `links` are the session's.
  bool start(Segments& segments, const Clock& clock, std::uint32_t* links);

  // kNoRoom: the writer has to make some; nobody waits in here.
  Outcome define(EncodeBody encode, base::Id subject, const void* details, const Lists& lists);
  Outcome add_site(const format::native::Site& site);

  // Something came since the last drain().
  bool waiting() const { return waiting_.load(std::memory_order_acquire); }
  // Blocks of all of it. Segments that became free stand in `done` then.
  void drain(BlockWriter& blocks, SegmentQueue& done);

 private:
  struct Part {  // how far a segment has come
    std::uint32_t bytes = 0;
    std::uint32_t events = 0;
    std::uint64_t tick = 0;  // of the record that ends there
  };
  struct State {
    Part written;  // recorded
    Part taken;    // in the stream; the writer's
  };
  bool open(std::uint64_t tick);
  bool append(std::uint64_t tick, EncodeBody encode, base::Id subject, const void* details,
              const Lists& lists);
  void drain_segment(BlockWriter& blocks, std::uint32_t segment, const Part& upto);
  void drain_sites(BlockWriter& blocks);

  Segments* segments_ = nullptr;
  const Clock* clock_ = nullptr;
  std::uint32_t* links_ = nullptr;
  State* states_ = nullptr;  // by segment
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<bool> waiting_ = false;
  SegmentQueue full_;
  std::uint32_t current_ = kNoSegment;
  std::uint64_t number_ = 0;
  std::byte* sites_ = nullptr;         // being filled
  std::byte* sites_before_ = nullptr;  // being written
  std::size_t site_bytes_ = 0;
  std::uint32_t site_count_ = 0;
};

}  // namespace polytrace::agent
