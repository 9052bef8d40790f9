// SPDX-License-Identifier: Apache-2.0
// What a stream has of its recorder's segments, as its blocks tell it (docs/formats/native.md,
// section 9): by thread, the last segment and how much of it. One thread at a time.
#pragma once

#include "base/seeded_hash.hpp"
#include "base/types.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::format::native {

class SegmentsTaken {
 public:
  // Words or bytes of a segment; all of it is kAll.
  static constexpr std::uint32_t kAll = ~std::uint32_t{0};

  void add(const BlockHeader& block) {
    if (block.segment == 0) return;
    auto& last = (block.segment & kFromRecords) != 0 ? records_ : words_;
    // Of more threads than are kept it is not known.
    if (last.size() >= kMostThreads && !last.contains(block.thread)) return;
    Last& of = last[block.thread];
    const std::uint64_t number = block.segment & ~kFromRecords;
    if (number < of.number || (number == of.number && block.words_after < of.words)) return;
    of = {number, block.words_after};
  }
  std::uint32_t of(const SegmentHeader& segment) const {
    const auto& last = segment.content == SegmentContent::records ? records_ : words_;
    const auto found = last.find(segment.thread);
    if (found == last.end() || found->second.number < segment.number) return 0;
    return found->second.number > segment.number ? kAll : found->second.words;
  }

 private:
  static constexpr std::size_t kMostThreads = std::size_t{1} << 20;
  struct Last {
    std::uint64_t number = 0;
    std::uint32_t words = 0;
  };

  base::IdMap<Last> words_;
  base::IdMap<Last> records_;
};

}  // namespace polytrace::format::native
