// SPDX-License-Identifier: Apache-2.0
// Pieces of a row of blocks, what they add less what they take off, are each block of the row once
// and no other, whatever frames there are.
#include "store/ask/calls/cover.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace polytrace::store {
namespace {

using Sums = CallFrames::Sums;

std::vector<Sums> in_order(std::vector<Sums> sums) {
  std::ranges::sort(sums, [](const Sums& a, const Sums& b) {
    return a.first != b.first ? a.first < b.first : a.blocks > b.blocks;
  });
  return sums;
}

// As a builder writes them: levels of sixteen, some of which did not shrink.
std::vector<Sums> levels_of(std::uint32_t blocks, std::mt19937& random) {
  std::vector<Sums> sums;
  for (std::uint32_t span = 16; span <= blocks; span *= 16)
    for (std::uint32_t first = 0; first + span <= blocks; first += span)
      if (random() % 8 != 0) sums.push_back({first, span, sums.size()});
  return in_order(std::move(sums));
}

std::vector<Sums> any_frames(std::uint32_t blocks, std::mt19937& random) {
  std::vector<Sums> sums;
  for (std::size_t i = 0; i < 200; ++i) {
    const auto first = static_cast<std::uint32_t>(random() % (blocks + 2));
    const auto length = static_cast<std::uint32_t>(random() >> random() % 33);
    sums.push_back({first, i % 3 == 0 ? length : length % 40, i});
  }
  return in_order(std::move(sums));
}

// How often each block counts.
std::vector<int> counted(const std::vector<CoverPiece>& pieces, std::uint32_t blocks) {
  std::vector<int> times(blocks);
  for (const CoverPiece& piece : pieces) {
    const std::uint64_t first = piece.sums != nullptr ? piece.sums->first : piece.place;
    const std::uint64_t end = first + (piece.sums != nullptr ? piece.sums->blocks : 1);
    EXPECT_LE(end, blocks);
    for (std::uint64_t i = first; i < std::min<std::uint64_t>(end, blocks); ++i)
      times[i] += piece.takes_off ? -1 : 1;
  }
  return times;
}

void expect_covered(const std::vector<Sums>& sums, std::uint32_t blocks, std::mt19937& random) {
  auto from = static_cast<std::uint32_t>(random() % (blocks + 1));
  auto to = static_cast<std::uint32_t>(random() % (blocks + 1));
  if (from > to) std::swap(from, to);
  std::vector<int> wanted(blocks);
  std::fill(wanted.begin() + from, wanted.begin() + to, 1);
  EXPECT_EQ(counted(cover(sums, blocks, from, to), blocks), wanted) << from << " to " << to;
}

TEST(cover, counts_each_block_once) {
  std::mt19937 random(5);
  for (std::size_t round = 0; round < 300; ++round) {
    const auto blocks = static_cast<std::uint32_t>(random() % 3000);
    expect_covered(levels_of(blocks, random), blocks, random);
    expect_covered(any_frames(blocks, random), blocks, random);
  }
}

TEST(cover, takes_what_is_short_of_a_frame_off_it) {
  std::vector<Sums> sums;
  for (std::uint32_t first = 0; first < 4096; first += 16) sums.push_back({first, 16, first});
  for (std::uint32_t first = 0; first < 4096; first += 256) sums.push_back({first, 256, first});
  sums = in_order(std::move(sums));
  using Counts = std::pair<std::size_t, std::ptrdiff_t>;  // pieces; of these taken off
  const auto counts = [&](std::uint32_t from, std::uint32_t to) {
    const auto pieces = cover(sums, 4096, from, to);
    return Counts(pieces.size(), std::ranges::count(pieces, true, &CoverPiece::takes_off));
  };
  EXPECT_EQ(counts(256, 512), Counts(1, 0));
  EXPECT_EQ(counts(3, 250), Counts(1 + 3 + 6, 3 + 6));      // of the first 256
  EXPECT_EQ(counts(9, 16), Counts(7, 0));                   // less than half of sixteen
  EXPECT_EQ(counts(32, 4096 - 16), Counts(16 + 2 + 1, 3));  // two frames and one are too much
  EXPECT_EQ(counts(21, 4096), Counts(16 + 1 + 5, 1 + 5));
  EXPECT_EQ(counts(27, 4096), Counts(16 + 2 + 5, 2));  // the last five taken off come back
}

}  // namespace
}  // namespace polytrace::store
