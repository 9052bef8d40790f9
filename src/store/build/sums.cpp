// SPDX-License-Identifier: Apache-2.0
#include "store/build/sums.hpp"

#include <algorithm>
#include <array>

#include "base/frames/svb.hpp"
#include "base/raw_array.hpp"
#include "base/slot.hpp"
#include "store/build/largest.hpp"

namespace polytrace::store {

namespace {

// A path and where its entry is, in one number.
using Keys = base::RawArray<std::uint64_t>;
constexpr unsigned kDigitBits = 11;

// One pass of a sort by the digit of the path that begins at that bit.
void sort_by_digit(const Keys& from, Keys& to, unsigned bit) {
  std::array<std::uint32_t, (1U << kDigitBits) + 1> ends{};
  const auto digit = [&](std::uint64_t key) {
    return key >> (32 + bit) & ((1U << kDigitBits) - 1);
  };
  for (const std::uint64_t key : from) ++ends[digit(key) + 1];
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  to.clear();
  std::uint64_t* const sorted = to.room(from.size());
  for (const std::uint64_t key : from) sorted[ends[digit(key)]++] = key;
  to.grew_to(sorted + from.size());
}

}  // namespace

void combine(std::vector<PathSum>& sums) {
  thread_local Keys keys, other;
  thread_local std::vector<PathSum> all;
  keys.clear();
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    keys.push(std::uint64_t{sums[i].path} << 32 | i);
    most = std::max(most, sums[i].path);
  }
  for (unsigned bit = 0; bit < 32 && most >> bit != 0; bit += kDigitBits) {
    sort_by_digit(keys, other, bit);
    std::swap(keys, other);
  }
  all.clear();
  for (const std::uint64_t key : keys) {
    const PathSum& sum = sums[static_cast<std::uint32_t>(key)];
    if (!all.empty() && all.back().path == sum.path) all.back().add(sum);
    else all.push_back(sum);
  }
  sums.assign(all.begin(), all.end());
}

void append_sums(std::span<const PathSum> sums, std::string& payload) {
  std::vector<std::uint64_t> column(sums.size());
  const std::size_t told_at = payload.size();
  payload.push_back(0);
  unsigned told = 0;
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    column[i] = sums[i].path - before;
    before = sums[i].path;
  }
  base::append_svb(column, payload);
  for (std::size_t k = 0; k < kSumMeasures.size(); ++k) {
    std::ranges::transform(sums, column.begin(), kSumMeasures[k]);
    if (std::ranges::all_of(column, [](std::uint64_t number) { return number == 0; })) continue;
    told |= 1U << k;
    base::append_svb(column, payload);
  }
  payload[told_at] = static_cast<char>(told);
}

void CallSums::add(const EncodedBlock& block, const Taker& take) {
  if (levels_.empty()) levels_.emplace_back();
  Level& first = levels_[0];
  if (first.parts++ == 0) {
    first.first_block = block.number;
    first.before = block.head.before;
  }
  ++first.blocks;
  first.last = block.head.last;
  first.below += block.sums.size();
  first.sums.insert(first.sums.end(), block.sums.begin(), block.sums.end());
  for (std::size_t level = 0; levels_[level].parts == kSumsFan; ++level) close(level, take);
}

bool CallSums::write(Level& whole, std::size_t level, const Taker& take) {
  combine(whole.sums);
  const std::uint64_t entries = whole.sums.size();
  if (entries * 4 > whole.below * 3) return false;
  Frame frame{static_cast<unsigned>(level + 1),
              whole.first_block,
              whole.blocks,
              static_cast<std::uint32_t>(entries),
              whole.before,
              whole.last,
              {}};
  append_sums(whole.sums, frame.payload);
  take(std::move(frame));
  return true;
}

void CallSums::cut(const Taker& take) {
  // Of one part there is a frame, or a block, already.
  for (std::size_t level = 0; level < levels_.size(); ++level)
    if (levels_[level].parts > 1) write(levels_[level], level, take);
  levels_ = {};
}

void CallSums::close(std::size_t level, const Taker& take) {
  if (levels_.size() == level + 1) levels_.emplace_back();
  Level& whole = levels_[level];
  const bool shrinks = write(whole, level, take);
  const std::uint64_t entries = whole.sums.size();
  Level& above = levels_[level + 1];
  if (above.parts++ == 0) {
    above.first_block = whole.first_block;
    above.before = whole.before;
  }
  above.blocks += whole.blocks;
  above.last = whole.last;
  above.below += shrinks ? entries : whole.below;
  above.sums.insert(above.sums.end(), whole.sums.begin(), whole.sums.end());
  whole.sums.clear();
  whole = {.sums = std::move(whole.sums)};
}

std::size_t CallSums::bytes() const {
  std::size_t bytes = 0;
  for (const Level& level : levels_) bytes += level.sums.capacity() * sizeof(PathSum);
  return bytes;
}

void CallSumLogs::add(const EncodedBlock& block, const Taker& take) {
  const std::uint32_t thread = block.head.thread;
  CallSums& sums = base::slot(threads_, thread);
  bytes_ -= sums.bytes();
  sums.add(block, [&](CallSums::Frame frame) { take(thread, std::move(frame)); });
  bytes_ += sums.bytes();
  if (bytes_ > most_bytes_) cut_largest(take);
}

// To the half, so that it is seldom.
void CallSumLogs::cut_largest(const Taker& take) {
  std::vector<CallSums*> all;
  for (CallSums& sums : threads_) all.push_back(&sums);
  bytes_ = shrink_largest(std::move(all), bytes_, most_bytes_ / 2, [&](CallSums& sums) {
    const auto thread = static_cast<std::uint32_t>(&sums - threads_.data());
    sums.cut([&](CallSums::Frame frame) { take(thread, std::move(frame)); });
  });
}

}  // namespace polytrace::store
