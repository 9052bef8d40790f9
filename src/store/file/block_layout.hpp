// SPDX-License-Identifier: Apache-2.0
// How the call events of one thread lie in a block: up to kBlockEvents entries and leaves, whose
// calls nest without exception. What a source tells otherwise stands beside, as irregular.
//
// A block of fewer than one event tells only what stands beside (a thread that leaves what it never
// entered), or how long a thread stayed in what it ended in.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "base/types.hpp"

namespace polytrace::store {

inline constexpr std::uint32_t kBlockEvents = 16'384;
inline constexpr unsigned kCallBits = 14;  // of a slice id: the call's number in its block
inline constexpr std::uint32_t kMostLocals = 2 * kBlockEvents + 1;

// Number of a call in the whole index: grows with time within a thread.
using SliceId = std::uint64_t;
inline constexpr SliceId kNoSlice = ~SliceId{0};
constexpr SliceId slice_id(std::uint64_t block, std::uint32_t call) {
  return block << kCallBits | call;
}
constexpr std::uint64_t block_of(SliceId call) { return call >> kCallBits; }
constexpr std::uint32_t call_of(SliceId call) {
  return static_cast<std::uint32_t>(call & (kBlockEvents - 1));
}

inline constexpr std::uint32_t kNoMethod = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoPath = ~std::uint32_t{0};
inline constexpr std::uint32_t kEmptyPath = 0;  // the empty stack

enum BlockFlag : std::uint16_t {
  kHasUnwinds = 1,
  kHasIrregular = 2,
  kHasLate = 4,
  kHasDetails = 8,
  kHasWaits = 16,
  kHasCpu = 32,
};

struct BlockHead {
  std::uint32_t thread = 0;  // index
  std::uint32_t events = 0;
  base::Time before = 0;  // of the thread's last call event before the block
  base::Time last = 0;    // of its last event; of a thread's last block that leaves calls
                          // open, of the thread's last event of any kind
  std::uint32_t enters = 0;
  std::uint32_t locals = 0;   // local paths
  std::uint32_t open = 0;     // calls, at the beginning
  std::uint32_t fewest = 0;   // open calls at any moment of the block
  std::uint64_t entered = 0;  // calls of the thread before the block
  SliceId link = kNoSlice;    // the innermost call that stays open throughout
  std::uint16_t local = 0;    // local path at the beginning
  std::uint16_t flags = 0;
  std::uint32_t columns = 0;
};
static_assert(sizeof(BlockHead) == 64 && std::is_trivially_copyable_v<BlockHead>);

enum class BlockColumn : std::uint8_t {
  time_lengths = 1,
  times = 2,
  directions = 3,  // a bit an event: 1 an entry
  codes = 4,       // local path of each entry
  local_paths = 5,
  sums = 6,
  unwinds = 7,
  irregular = 8,
  late = 9,
  details = 10,
  waits = 11,
};
inline constexpr std::size_t kBlockColumns = 12;  // by number; 0 is none

struct BlockColumnHead {
  std::uint8_t number;
  std::uint8_t coding;
  std::uint16_t zero;
  std::uint32_t stored;  // bytes
  std::uint32_t raw;
};
static_assert(sizeof(BlockColumnHead) == 12);

// What a source told that is no entry and no leave of the innermost call. In the column: a varint
// of the event before which it stands, less that of the one before; this byte; then
//   made       varint: of the leaves before it, how many the source did not tell
//   not_open   svarint: time less that of the event before; varint: method + 1, 0 not told
//   dropped    the same: an entry beyond the most calls that can be open
//   no_method  nothing: the event, a leave, told no method
// + kIrregularUnwind: a leave by an exception; + kIrregularDetails: its source told more of it.
enum class Irregular : std::uint8_t { made, not_open, dropped, no_method };
inline constexpr std::uint8_t kIrregularUnwind = 4;
inline constexpr std::uint8_t kIrregularDetails = 8;

struct BesideEvent {
  std::uint32_t event;  // before which it stands
  Irregular sort;
  std::uint8_t marks;    // kIrregularUnwind, kIrregularDetails
  std::uint32_t method;  // index; kNoMethod: not told
  std::uint64_t value;   // made: leaves; not_open, dropped: time less that of the event before
};
struct LateEvent {
  std::uint32_t event;
  std::uint64_t earlier;  // nanoseconds
};

// What a thread does, as far as its waits tell.
enum class Status : std::uint8_t { none, blocked, waiting };
struct StatusChange {
  base::Time at;
  Status to;
};

// How a call ended that its block left open.
enum class EndKind : std::uint8_t { leave, unwind, cut, end_of_trace };

struct CallEnd {
  SliceId call;
  std::uint64_t duration;  // nanoseconds
  EndKind how;
};

// Figures of one path. Nanoseconds but for `calls`. A frame of sums has a byte that tells which of
// kSumMeasures it has columns of, by bit; a column of the differences of paths; then those columns.
struct PathSum {
  std::uint32_t path = 0;
  std::uint64_t calls = 0;  // entered
  std::uint64_t self = 0;
  std::uint64_t blocked = 0;  // of self; so are the next two
  std::uint64_t waiting = 0;
  std::uint64_t cpu = 0;

  void add(const PathSum& more) {
    calls += more.calls;
    self += more.self;
    blocked += more.blocked;
    waiting += more.waiting;
    cpu += more.cpu;
  }
  // What add() added.
  void take_off(const PathSum& less) {
    calls -= less.calls;
    self -= less.self;
    blocked -= less.blocked;
    waiting -= less.waiting;
    cpu -= less.cpu;
  }
};

// Sums of pauses are PathSums without calls: `self` is the time of it that lies in pauses,
// `blocked` and `waiting` are what of that the thread waited. Of single blocks there are frames of
// up to so many in a row: an SVB column of the lengths of their parts, then the parts, each as a
// frame of sums is, and empty where a block meets no pause.
inline constexpr std::uint32_t kPausePartBlocks = 16;

inline constexpr std::array kSumMeasures{&PathSum::calls, &PathSum::self, &PathSum::blocked,
                                         &PathSum::waiting, &PathSum::cpu};

}  // namespace polytrace::store
