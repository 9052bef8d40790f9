// SPDX-License-Identifier: Apache-2.0
// A block of one thread's calls while it is filled: the numbers of its columns, and a small tree of
// the paths that occur in it, which knows most children without a look at the table of all paths.
// One thread at a time.
#pragma once

#include <utility>
#include <vector>

#include "store/build/number_array.hpp"
#include "store/build/path_table.hpp"
#include "store/file/block_layout.hpp"

namespace polytrace::store {

struct OpenBlock {
  static constexpr std::uint16_t kNone = 0xffff;

  // By its number; local 0 is the path at the beginning. Those that the block returns to above it
  // become known when it does, so their numbers are not in order yet.
  struct Local {
    std::uint32_t path;
    std::uint32_t method;
    std::uint16_t parent;      // kNone: not returned to so far
    std::uint16_t last_child;  // that was asked for; kNone none
    std::uint16_t next;        // of the same parent, in a ring
    std::uint32_t calls;       // entered
    std::uint64_t self;        // nanoseconds
  };

  // Known of it are thread, before, open, entered, fewest so far; last and link when it is closed.
  BlockHead head;
  std::uint64_t number = 0;
  NumberArray<std::uint32_t> times;       // differences, kSvbLarger where `larger` has it
  std::vector<std::uint64_t> larger;      // in order
  NumberArray<std::uint64_t> directions;  // a bit an event
  NumberArray<std::uint16_t> codes;       // an entry's local
  std::vector<Local> locals;
  std::uint16_t outermost = 0;  // local of the fewest open calls
  std::vector<std::uint32_t> unwinds;
  std::vector<BesideEvent> beside;
  std::vector<LateEvent> late;
  std::vector<std::uint64_t> details;  // a bit an event; as long as it must be
  std::vector<StatusChange> changes;   // in order, none before `head.before`

  // For a path of that many open calls, at that time.
  void begin(std::uint32_t path, std::uint32_t method, std::uint32_t open, base::Time now);
  std::uint32_t events() const { return static_cast<std::uint32_t>(times.size()); }
  bool full() const { return events() == kBlockEvents || beside.size() >= kBlockEvents; }
  // Whether there is anything to write.
  bool tells() const { return !times.empty() || !beside.empty() || head.last != head.before; }
  std::size_t bytes() const;  // of memory
  // For another block; keeps its memory.
  void clear();

  // The local of `method` called in `caller`.
  std::uint16_t child(std::uint16_t caller, std::uint32_t method, PathTable& paths) {
    Local& from = locals[caller];
    if (from.last_child != kNone) {
      const Local& last = locals[from.last_child];
      if (last.method == method) return from.last_child;
      if (locals[last.next].method == method) return from.last_child = last.next;
    }
    return other_child(caller, method, paths);
  }
  // What a call returns to that was open at the beginning: `local` is the outermost so far.
  std::uint16_t return_to(std::uint16_t local, std::uint32_t path, std::uint32_t method);
  void set_details(std::uint32_t event);

 private:
  std::uint16_t other_child(std::uint16_t caller, std::uint32_t method, PathTable& paths);
  std::uint16_t add(std::uint32_t path, std::uint32_t method);
  void join(std::uint16_t caller, std::uint16_t child);
  std::uint16_t* place_of(std::uint16_t caller, std::uint32_t method);
  void make_places();

  std::vector<std::uint16_t> places_;  // locals by hash of caller and method
};

// Appends up to `room` events to a block, which nobody else changes until finish(). For hot loops:
// lives in registers.
class BlockFiller {
 public:
  BlockFiller(OpenBlock& block, std::size_t room)
      : event_(block.events()),
        word_(event_ % 64 == 0 ? 0 : block.directions[event_ / 64]),
        time_(block.times.room(room)),
        code_(block.codes.room(room)) {
    block.directions.cut(event_ / 64);
    direction_ = block.directions.room(room / 64 + 2);
  }
  void enter(std::uint32_t difference, std::uint16_t local) {
    *code_++ = local;
    word_ |= std::uint64_t{1} << (event_ % 64);
    leave(difference);
  }
  void leave(std::uint32_t difference) {
    *time_++ = difference;
    if (++event_ % 64 == 0) *direction_++ = std::exchange(word_, 0);
  }
  void finish(OpenBlock& block) {
    if (event_ % 64 != 0) *direction_++ = word_;
    block.directions.grew_to(direction_);
    block.times.grew_to(time_);
    block.codes.grew_to(code_);
  }

 private:
  std::uint32_t event_;
  std::uint64_t word_;  // of directions, the one that is being filled
  std::uint32_t* time_;
  std::uint16_t* code_;
  std::uint64_t* direction_;
};

}  // namespace polytrace::store
