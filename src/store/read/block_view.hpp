// SPDX-License-Identifier: Apache-2.0
// A block of calls, decoded: its events as the source told them, where its thread was when, its
// figures by path. Nothing in a damaged block leads outside of it. Reading a const one: any thread.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/raw_array.hpp"
#include "base/result.hpp"
#include "slice/selection.hpp"
#include "store/read/paths.hpp"

namespace polytrace::store {

// The head alone. Errors: field_past_end, value_unexpected.
base::result<BlockHead> read_block_head(base::Bytes payload);
// The block's figures, of each local path (a path may come twice, the empty one not at all), added
// to `into`. Its events are not decoded. `paths`: how many there are.
base::result<void> read_block_sums(base::Bytes payload, std::uint32_t paths,
                                   std::vector<PathSum>& into);
// The payload of a CEND frame, added to `into`.
base::result<void> read_ends(base::Bytes payload, std::vector<CallEnd>& into);

class CallBlock {
 public:
  struct Local {
    std::uint32_t path;
    std::uint32_t parent;  // local; of one that is called by none in the block, itself
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
  // The same as whole columns, for hot loops: of times kSvbLarger where difference() has to tell;
  // 64 directions a number.
  std::span<const std::uint32_t> times() const { return {times_.data(), times_.size()}; }
  std::span<const std::uint64_t> directions() const {
    return {directions_.data(), directions_.size()};
  }
  std::span<const std::uint16_t> codes() const { return {codes_.data(), codes_.size()}; }
  std::uint32_t code(std::uint32_t call) const { return codes_[call]; }  // local
  std::span<const BesideEvent> beside() const { return beside_; }
  std::span<const LateEvent> late() const { return late_; }
  std::span<const std::uint32_t> unwinds() const { return unwinds_; }
  // Of what the thread waits for.
  std::span<const StatusChange> changes() const { return changes_; }
  bool has_details(std::uint32_t event) const {
    return event / 8 < details_.size() &&
           (static_cast<unsigned>(details_[event / 8]) >> (event % 8) & 1) != 0;
  }
  std::size_t bytes() const;  // of memory
  std::uint64_t source_events() const { return source_events_; }

  // Adds what lies in [from, to) to `by_local`, which has one for each of locals(): calls that
  // begin there, and time.
  void add_figures(base::Time from, base::Time to, std::span<PathSum> by_local) const;
  // The same of what lies in a pause, too: time of it is `self`, of that what the thread waited is
  // `blocked` and `waiting`; no calls. `pauses`: in order, apart.
  void add_pauses(base::Time from, base::Time to, std::span<const slice::Pauses::Pause> pauses,
                  std::span<PathSum> by_local) const;

 private:
  friend class BlockReader;
  struct Figures {
    std::uint64_t self;
    std::uint64_t calls;
  };
  std::uint64_t larger_difference(std::uint32_t event) const;
  void add_all(std::span<Figures> by_local) const;
  void add_part(base::Time from, base::Time to, std::span<PathSum> by_local) const;
  // Calls part(local, begin, end) for each stretch in one path, entered(local, time) for each
  // entry.
  template <class Part, class Entered>
  void walk(base::Time from, base::Time to, Part part, Entered entered) const;

  BlockHead head_;
  base::RawArray<std::uint32_t> times_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> larger_;  // by event
  base::RawArray<std::uint64_t> directions_;
  base::RawArray<std::uint16_t> codes_;
  std::vector<Local> locals_;
  std::vector<std::uint32_t> unwinds_;
  std::vector<BesideEvent> beside_;
  std::vector<LateEvent> late_;
  std::string details_;
  std::vector<StatusChange> changes_;
  std::uint64_t source_events_ = 0;
};

}  // namespace polytrace::store
