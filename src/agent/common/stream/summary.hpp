// SPDX-License-Identifier: Apache-2.0
// Mode summary: per thread a tree of calls with counts and times instead of the calls themselves,
// made by the writer thread from the words of segments. Its memory grows with distinct paths of
// calls, up to a limit; beyond it calls belong to the path they are on, and are counted as such.
#pragma once

#include "agent/common/memory/clock.hpp"
#include "agent/common/stream/block_writer.hpp"
#include "format/native/wire/words.hpp"

namespace polytrace::agent {

class Summary {
 public:
  // Reads no clock but the line from ticks to time. False: no memory.
  bool start(const Clock& clock);

  void enter(base::Id thread, std::uint32_t method, std::uint64_t tick);
  // Closes the nearest open call of the method and all above it; where none is open, nothing. The
  // rule of event/open_calls.hpp, which needs memory and a library that an agent does without.
  void leave(base::Id thread, std::uint32_t method, std::uint64_t tick);

  // SummaryBegin and SummaryEnd of each path called since the last put(), thread by thread. Calls
  // that are open count as called, with the time up to `tick`.
  void put(BlockWriter& blocks, std::uint64_t tick);
  void release();
  // Calls that found no room in the tree, since the last put().
  std::uint64_t unplaced() const { return unplaced_; }

 private:
  struct Node {
    std::uint32_t method;
    std::uint32_t parent;  // 0 = none; node 0 is not used
    std::uint32_t first_child;
    std::uint32_t next_sibling;
    std::uint64_t calls;
    std::uint64_t total;  // ticks
    std::uint64_t least;
    std::uint64_t most;
    bool told;  // with what is below it, in this put()
  };
  struct Frame {
    std::uint32_t node;
    bool counted;  // by a put() while it was open
    std::uint64_t since;
  };
  struct Thread {
    base::Id id;
    std::uint32_t root;
    std::uint32_t depth;
    std::uint32_t beyond;  // open calls that found no room
    Frame* frames;
  };
  static constexpr std::uint32_t kNodes = 1 << 20;
  static constexpr std::uint32_t kSlots = 1 << 21;
  static constexpr std::uint32_t kThreads = 1 << 14;
  static constexpr std::uint32_t kDepth = 1 << 14;

  Thread* thread_of(base::Id id);
  std::uint32_t child_of(std::uint32_t parent, std::uint32_t method);
  std::uint32_t add_node(std::uint32_t parent, std::uint32_t method);
  void close(const Frame& frame, std::uint64_t tick);
  void count_open(std::uint64_t tick);
  void mark_told();
  void put_thread(BlockWriter& blocks, const Thread& thread, std::uint64_t tick);
  std::int64_t nanoseconds(std::uint64_t ticks) const;

  const Clock* clock_ = nullptr;
  Node* nodes_ = nullptr;
  std::uint32_t* slots_ = nullptr;  // of child_of: node, by hash of parent and method
  Thread* threads_ = nullptr;
  std::uint32_t node_count_ = 1;
  std::uint32_t thread_count_ = 0;
  std::uint32_t latest_ = 0;  // index of the thread asked for last
  std::uint64_t unplaced_ = 0;
};

// The words of a segment: calls go into the tree, what else there is into records. A segment that
// is still being filled is taken in several parts.
class SummaryWords {
 public:
  SummaryWords() = default;
  SummaryWords(const std::uint64_t* words, std::uint32_t count, std::uint64_t base_tick,
               base::Id thread)
      : words_(words), count_(count), base_tick_(base_tick), thread_(thread) {}

  std::uint32_t taken() const { return taken_; }
  base::Id thread() const { return thread_; }
  // Takes calls up to the first other event. True: there is one, at next_tick().
  bool next_event(Summary& summary);
  std::uint64_t next_tick() const { return tick_of(word_at(taken_)); }
  // REQUIRES: next_event(). False: no room.
  bool move_event(format::native::RecordEncoder& out);

 private:
  std::uint64_t word_at(std::uint32_t index) const {
    return __atomic_load_n(words_ + index, __ATOMIC_ACQUIRE);
  }
  std::uint64_t tick_of(std::uint64_t word) const {
    return base_tick_ + (word >> format::native::kTickShift);
  }

  const std::uint64_t* words_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t taken_ = 0;
  std::uint64_t base_tick_ = 0;
  base::Id thread_ = base::kNoId;
};

}  // namespace polytrace::agent
