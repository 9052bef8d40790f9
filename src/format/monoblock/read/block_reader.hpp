// SPDX-License-Identifier: Apache-2.0
// Turns blocks into events: one function for each block of blocks.def. What cannot be decoded
// becomes a notice. One per chunk; one thread at a time.
#pragma once

#include "event/batch.hpp"
#include "event/open_calls.hpp"
#include "format/monoblock/layout/account.hpp"
#include "format/monoblock/layout/fixed_sizes.hpp"
#include "format/monoblock/layout/number.hpp"
#include "format/monoblock/layout/state.hpp"

namespace polytrace::format::monoblock {

struct Block {
  BlockCode code{};
  base::Bytes payload{};
  std::uint64_t offset = 0;  // of its header
  std::uint64_t number = 0;
};

class BlockReader {
 public:
  BlockReader(const FileHead& file, event::Batch& batch) : file_(file), batch_(batch) {}

  void read(const Block& block, const State& state);
  // To be called when the state that read() is given has changed.
  void state_changed() { sizes_.clear(); }

 private:
  // One block while it is read.
  struct Reading {
    const Block& block;
    const State& state;
    base::Cursor in;
    Account account;
    Reading(const Block& of, const State& with, std::size_t header, event::Tally& tally)
        : block(of), state(with), in(of.payload, of.offset + header), account(in, tally) {}
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
  };

#define BLOCK(code, identifier, name, reader) void reader(Reading& at);
#include "format/monoblock/layout/blocks.def"
#undef BLOCK
  bool read_content(Reading& at);
  void read_load(Reading& at, event::Life life);
  void read_heap_items(Reading& at, event::Time now);
  void read_object(Reading& at, base::Id object, event::Time now);
  void read_freed(Reading& at, base::Id class_id, event::Time now);
  void read_summary_row(Reading& at, base::Id class_id, base::Id collection, event::Time now);
  void tell_assembly(Reading& at, event::Time time, std::uint16_t thread, event::Text name);
  struct ClockPair {
    explicit ClockPair(base::Cursor& in);
    std::uint64_t counter;
    std::uint64_t time;
  };
  // Gives the counter. The thread is the block's, or none.
  event::Time tell_clock(Reading& at, ClockPair pair, base::Id thread,
                         std::uint64_t ticks_per_second = 0);
  // What stands behind the items of the blocks that run to the end: a clock in shipped variants.
  void read_tail(Reading& at, base::Id thread = base::kNoId);
  std::uint16_t slot(base::Id thread) { return batch_.thread_slot(thread); }
  event::Text text(Reading& at) { return batch_.keep(at.in.zero_terminated()); }

  const FileHead& file_;
  event::Batch& batch_;
  FixedSizes sizes_;
  event::OpenCalls<base::Id> stack_;
};

}  // namespace polytrace::format::monoblock
