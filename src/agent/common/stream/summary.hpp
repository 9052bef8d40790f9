// SPDX-License-Identifier: Apache-2.0
// Mode summary: per thread a tree of calls with counts and times instead of the calls themselves,
// made by the writer thread from the words of segments. Its memory grows with distinct paths of
// calls, up to a limit; beyond it calls belong to the path they are on, and are counted as such.
#pragma once

#include "agent/common/memory/clock.hpp"
#include "agent/common/stream/block_writer.hpp"

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

}  // namespace polytrace::agent
