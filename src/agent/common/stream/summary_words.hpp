// SPDX-License-Identifier: Apache-2.0
// The words of a segment for mode summary: calls go into the tree, what else there is into records.
// A segment that is still being filled is taken in several parts. The writer thread's.
#pragma once

#include "agent/common/stream/summary.hpp"
#include "format/native/wire/words.hpp"

namespace polytrace::agent {

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
