// SPDX-License-Identifier: Apache-2.0
#include "store/ask/calls/cover.hpp"

#include <algorithm>

namespace polytrace::store {
namespace {

using Sums = CallFrames::Sums;

// Frames before a place among which one may reach over it: those of one level, and then some.
constexpr std::ptrdiff_t kMostLookedBack = 40;

class Covering {
 public:
  Covering(std::span<const Sums> sums, std::uint32_t blocks) : sums_(sums), blocks_(blocks) {}

  void add(std::uint32_t from, std::uint32_t to, bool takes_off) {
    while (from < to) {
      const auto begin = std::ranges::lower_bound(sums_, from, {}, &Sums::first);
      const Sums* frame = best_over(begin, from, to);
      if (frame == nullptr) {
        from = add_first(begin, from, to, takes_off);
        continue;
      }
      const auto end = static_cast<std::uint32_t>(end_of(*frame));
      put(frame, takes_off);
      add(frame->first, from, !takes_off);
      add(to, end, !takes_off);
      from = end;
    }
  }
  std::vector<CoverPiece> take() { return std::move(pieces_); }

 private:
  using At = std::span<const Sums>::iterator;

  static std::uint64_t end_of(const Sums& frame) {
    return std::uint64_t{frame.first} + frame.blocks;
  }
  void put(const Sums* frame, bool takes_off) { pieces_.push_back({frame, 0, takes_off}); }

  // Of the frames that have `from`, and begin before it or end behind the row, the best that there
  // is: the least with the whole row, else the largest.
  const Sums* best_over(At begin, std::uint32_t from, std::uint32_t to) const {
    const Sums* best = nullptr;
    const auto take = [&](const Sums& frame) {
      if (!pays(frame, from, to)) return;
      if (best == nullptr || end_of(*best) < to || frame.blocks < best->blocks) best = &frame;
    };
    const auto last = begin - std::min(kMostLookedBack, begin - sums_.begin());
    for (At at = begin; at != last;) take(*--at);
    for (At at = begin; at != sums_.end() && at->first == from && end_of(*at) > to; ++at) take(*at);
    return best;
  }
  // What is taken off is at most half of what stays: so adds nest no deeper than the logarithm of
  // the row, whatever the frames say.
  bool pays(const Sums& frame, std::uint64_t from, std::uint64_t to) const {
    const std::uint64_t end = end_of(frame);
    if (end <= from || end > blocks_) return false;
    const std::uint64_t wanted = std::min(end, to) - from;
    return (frame.blocks - wanted) * 2 <= wanted;
  }
  // The largest that fits, or the block: where to go on.
  std::uint32_t add_first(At begin, std::uint32_t from, std::uint32_t to, bool takes_off) {
    At at = begin;
    while (at != sums_.end() && at->first == from && end_of(*at) > to) ++at;
    if (at != sums_.end() && at->first == from && at->blocks > 1) {
      put(&*at, takes_off);
      return from + at->blocks;
    }
    pieces_.push_back({nullptr, from, takes_off});
    return from + 1;
  }

  std::span<const Sums> sums_;
  std::uint64_t blocks_;
  std::vector<CoverPiece> pieces_;
};

}  // namespace

std::vector<CoverPiece> cover(std::span<const Sums> sums, std::uint32_t blocks, std::uint32_t from,
                              std::uint32_t to) {
  Covering covering(sums, blocks);
  covering.add(from, to, false);
  return covering.take();
}

}  // namespace polytrace::store
