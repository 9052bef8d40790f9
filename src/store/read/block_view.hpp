// SPDX-License-Identifier: Apache-2.0
// A block of calls, decoded: its events as the source told them, where its thread was when, its
// figures by path. Nothing in a damaged block leads outside of it. Reading a const one: any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/raw_array.hpp"
#include "base/result.hpp"
#include "store/read/paths.hpp"

namespace polytrace::store {

// The head alone. Errors: field_past_end, value_unexpected.
base::result<BlockHead> read_block_head(base::Bytes payload);
// The block's figures, of each local path (a path may come twice, the empty one not at all), added
// to `into`. Its events are not decoded. `paths`: how many there are.
base::result<void> read_block_sums(base::Bytes payload, std::uint32_t paths,
                                   std::vector<PathSum>& into);
base::result<void> read_ends(base::Bytes payload, std::vector<CallEnd>& into);

class CallBlock {
 public:
  struct Local {
    std::uint32_t path;
    std::uint32_t parent;  // local; of one that is called by none in the block, itself
  };
  struct Beside {
    std::uint32_t event;
    Irregular sort;
    std::uint8_t marks;
    std::uint32_t method;
    std::uint64_t value;
  };
  struct Late {
    std::uint32_t event;
    std::uint64_t earlier;
  };
  struct Change {
    base::Time at;
    Status to;
  };

  // Instead of what it held. Errors: of read_block_head, and of columns that do not fit together.
  base::result<void> read(base::Bytes payload, std::uint32_t paths);

  const BlockHead& head() const { return head_; }
  std::span<const Local> locals() const { return locals_; }
  // Differences, modulo 2^64.
  std::uint64_t difference(std::uint32_t event) const {
    return larger_.empty() ? times_[event] : larger_difference(event);
  }
  bool enters(std::uint32_t event) const {
    return (directions_[event / 64] >> (event % 64) & 1) != 0;
  }
  std::uint32_t code(std::uint32_t call) const { return codes_[call]; }  // local
  std::span<const Beside> beside() const { return beside_; }
  std::span<const Late> late() const { return late_; }
  std::span<const std::uint32_t> unwinds() const { return unwinds_; }
  bool has_details(std::uint32_t event) const {
    return event / 8 < details_.size() &&
           (static_cast<unsigned>(details_[event / 8]) >> (event % 8) & 1) != 0;
  }
  std::size_t bytes() const;  // of memory
  std::uint64_t source_events() const { return source_events_; }

  // Adds what lies in [from, to) to `by_local`, which has one for each of locals(): calls that
  // begin there, and time.
  void add_figures(base::Time from, base::Time to, std::span<PathSum> by_local) const;

 private:
  friend class BlockReader;
  std::uint64_t larger_difference(std::uint32_t event) const;

  BlockHead head_;
  base::RawArray<std::uint32_t> times_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> larger_;  // by event
  base::RawArray<std::uint64_t> directions_;
  base::RawArray<std::uint16_t> codes_;
  std::vector<Local> locals_;
  std::vector<std::uint32_t> unwinds_;
  std::vector<Beside> beside_;
  std::vector<Late> late_;
  std::string details_;
  std::vector<Change> changes_;
  std::uint64_t source_events_ = 0;
};

// An event of a source.
struct CallEvent {
  enum class What : std::uint8_t { enter, leave, unwind };

  base::Time time;       // as the source told it
  std::uint32_t method;  // index; kNoMethod: not told
  std::uint32_t path;    // of the call that begins or ends; kNoPath: none does
  SliceId call;          // that begins; kNoSlice: none does
  What what;
  bool has_details;  // a row of its kind has more of it
};

// A block's events one after the other. The block and the paths must outlive it.
class BlockEvents {
 public:
  BlockEvents(const CallBlock& block, std::uint64_t number, const Paths& paths);
  // False: there are no more.
  bool next(CallEvent& into);

 private:
  bool next_beside(CallEvent& into);
  void next_of_log(CallEvent& into);
  void find_special();

  const CallBlock& block_;
  const Paths& paths_;
  std::uint64_t number_;
  std::uint32_t event_ = 0;
  std::uint32_t special_ = 0;  // the next event that is not plain
  std::uint32_t call_ = 0;
  std::uint32_t local_;
  base::Time time_;
  std::size_t beside_ = 0, late_ = 0, unwind_ = 0;
};

// Where a thread is in a block.
struct BlockPosition {
  struct Call {
    std::uint32_t number;  // of the call in the block
    std::uint32_t local;
    base::Time start;
  };
  std::vector<Call> open;   // that the block entered, outermost first
  std::uint32_t base = 0;   // calls open below them, from before the block
  std::uint32_t local = 0;  // local path of where it is
};
// After all events with times up to `time`, inclusive.
BlockPosition position_at(const CallBlock& block, base::Time time);
// After all events before `time`.
BlockPosition position_before(const CallBlock& block, base::Time time);
// After the call was entered; in a damaged index there may be no such call.
base::result<BlockPosition> position_in(const CallBlock& block, std::uint32_t call);

}  // namespace polytrace::store
