// SPDX-License-Identifier: Apache-2.0
// What an index has of the calls of its threads, as questions need it: who opened the index gives
// it. Any number of threads may ask at once.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "store/read/block_view.hpp"

namespace polytrace::store {

class CallFrames {
 public:
  CallFrames() = default;
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;
  virtual ~CallFrames() = default;

  struct Block {
    std::uint64_t number;
    base::Time before;  // as in its head: blocks of a thread cover the gaps between them
    base::Time last;
  };
  // A frame of sums: `blocks` of a thread in a row.
  struct Sums {
    std::uint32_t first;  // place in blocks()
    std::uint32_t blocks;
    std::uint64_t frame;  // how to get at it
  };

  // A frame of cells, of the calls that end in `blocks` of a thread in a row; or of a series, of
  // all that happened in them.
  struct Cells {
    unsigned level;
    std::uint32_t first;  // place in blocks()
    std::uint32_t blocks;
    std::uint64_t frame;
  };

  virtual std::uint32_t threads() const = 0;
  virtual const Paths& paths() const = 0;
  // In the thread's order.
  virtual std::span<const Block> blocks(std::uint32_t thread) const = 0;
  // The places of those that [from, to) meets.
  struct Places {
    std::uint32_t begin;
    std::uint32_t end;  // not included
  };
  Places met_by(std::uint32_t thread, base::Time from, base::Time to) const {
    const auto all = blocks(thread);
    const auto begin = std::ranges::lower_bound(all, from, {}, &Block::last) - all.begin();
    const auto end = std::ranges::lower_bound(all, to, {}, &Block::before) - all.begin();
    return {static_cast<std::uint32_t>(std::min(begin, end)), static_cast<std::uint32_t>(end)};
  }
  // Levels 1 and up, of equal `first` the larger first; in order of `first`.
  virtual std::span<const Sums> sums(std::uint32_t thread) const = 0;
  // When the world stood still; null: not known, since the trace was not read to its end.
  virtual base::result<std::shared_ptr<const slice::Pauses>> pauses() const {
    return std::shared_ptr<const slice::Pauses>();
  }
  // Sums of pauses, as sums(). Blocks that meet no pause are in none.
  virtual std::span<const Sums> pause_sums(std::uint32_t) const { return {}; }
  // What single blocks add to them (pause_parts.hpp); in order.
  virtual std::span<const Sums> pause_parts(std::uint32_t) const { return {}; }
  // In order of `first`, of equal ones the coarsest first.
  virtual std::span<const Cells> cells(std::uint32_t thread) const = 0;
  virtual std::span<const Cells> series(std::uint32_t thread) const = 0;
  // Of those of a thread the coarsest, up to `level`, that begins with a block, or, of the first
  // block that is asked for, has it. Null: there is none.
  enum class Where : std::uint8_t { is_first, follows };
  static const Cells* coarsest(std::span<const Cells> all, std::uint32_t place, unsigned level,
                               Where where) {
    const Cells* found = nullptr;
    const auto take = [&](const Cells& frame) {
      const bool is_coarser = found == nullptr || frame.level > found->level;
      if (frame.level <= level && is_coarser) found = &frame;
    };
    const auto [begin, end] = std::ranges::equal_range(all, place, {}, &Cells::first);
    for (auto frame = begin; frame != end; ++frame) take(*frame);
    if (where == Where::follows) return found;
    for (auto frame = all.begin(); frame != begin; ++frame)
      if (place - frame->first < frame->blocks) take(*frame);
    return found;
  }
  // Where a block is, by its number: thread and place in blocks(). Errors: value_unexpected.
  struct At {
    std::uint32_t thread;
    std::uint32_t place;
  };
  virtual base::result<At> find(std::uint64_t number) const = 0;

  // Bytes live as long as the index.
  virtual base::result<base::Bytes> payload(std::uint32_t thread, std::uint32_t place) const = 0;
  virtual base::result<base::Bytes> payload(const Sums& sums) const = 0;
  virtual base::result<base::Bytes> payload(const Cells& cells) const = 0;
  // Of the thread's calls that their block left open and that have ended, in order.
  virtual base::result<std::shared_ptr<const std::vector<CallEnd>>> ends(
      std::uint32_t thread) const = 0;
  // Decoded, from a cache where there is one.
  virtual base::result<std::shared_ptr<const CallBlock>> block(std::uint32_t thread,
                                                               std::uint32_t place) const = 0;
};

}  // namespace polytrace::store
