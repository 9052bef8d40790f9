// SPDX-License-Identifier: Apache-2.0
#include "history/write/segment_writer.hpp"

#include <algorithm>

#include "base/frames/bits.hpp"
#include "history/layout/segment_layout.hpp"
#include "history/write/run_writer.hpp"
#include "history/write/tables_writer.hpp"

namespace polytrace::history {

void SegmentWriter::sort(const Input& input) {
  active_.clear();
  counts_.assign(input.counts.begin(), input.counts.end());
  ends_.resize(counts_.size());
  std::uint32_t total = 0;
  for (const std::uint32_t index : input.keys.in_order()) {
    ends_[index] = total;
    if (counts_[index] == 0) continue;
    active_.push_back(index);
    total += counts_[index];
  }
  sorted_.clear();
  Change* const sorted = sorted_.room(total);
  std::uint64_t gaps = 0;
  for (const Change& change : input.changes) {
    if (change.tag() == kDeadTag) continue;
    sorted[ends_[change.index]++] = change;
    gaps += presence_of(change.tag()) == Presence::absent ? 1U : 0U;
  }
  intervals_ = total - gaps;
  sorted_.grew_to(sorted + total);
}

std::span<const Change> SegmentWriter::run(std::uint32_t index) const {
  return std::span(sorted_.data(), sorted_.size())
      .subspan(ends_[index] - counts_[index], counts_[index]);
}

base::Bytes SegmentWriter::write(const Input& input) {
  sort(input);
  const std::uint64_t keys =
      input.keys.size() == 0 ? 0 : std::uint64_t{input.keys[input.keys.in_order().back()].key} + 1;
  const bool sparse = active_.size() < keys / kSparseBelow;
  const std::size_t directory = sparse ? active_.size() * 2 : keys;
  payload_.clear();
  payload_.fixed(input.first);
  payload_.fixed(input.last);
  payload_.fixed(std::uint64_t{sorted_.size()});
  payload_.fixed(static_cast<std::uint32_t>(keys));
  payload_.fixed(static_cast<std::uint32_t>(active_.size()));
  payload_.fixed(static_cast<std::uint32_t>(kSegmentHead));
  payload_.fixed(static_cast<std::uint32_t>(kSegmentHead + directory * sizeof(std::uint32_t)));
  payload_.fixed(std::uint32_t{0});  // the runs' offset, set below
  payload_.fixed(std::uint32_t{sparse ? kSparseFlag : 0});
  std::memset(payload_.extend(16), 0, 16);
  std::memset(payload_.extend(directory * sizeof(std::uint32_t)), 0,
              directory * sizeof(std::uint32_t));
  const std::size_t times = put_entry_table(payload_, input.keys, input.entries);
  base::patch(payload_, kRunsOffsetAt, static_cast<std::uint32_t>(payload_.size()));
  table_bytes_ = payload_.size() + times;  // the exit table will be about as large as the starts
  put_directory_and_runs(input, sparse);
  run_bytes_ = payload_.size() + times - table_bytes_;
  return payload_.view();
}

void SegmentWriter::put_directory_and_runs(const Input& input, bool sparse) {
  std::size_t place = 0;
  for (const std::uint32_t index : active_) {
    const auto offset = static_cast<std::uint32_t>(payload_.size());
    const KeyInfo& info = input.keys[index];
    if (sparse) {
      base::patch(payload_, kSegmentHead + place * 4, info.key);
      base::patch(payload_, kSegmentHead + (active_.size() + place) * 4, offset);
    } else {
      base::patch(payload_, kSegmentHead + std::size_t{info.key} * 4, offset);
    }
    ++place;
    put_run(payload_, run(index), input.first, info.code);
  }
}

std::size_t SegmentWriter::good_size() const {
  constexpr std::size_t kRatio = 9;
  constexpr std::size_t kLeast = std::size_t{1} << 17;
  constexpr std::size_t kMost = std::size_t{1} << 19;
  const std::size_t runs = std::max<std::size_t>(run_bytes_, 1);
  return std::clamp(kRatio * table_bytes_ * sorted_.size() / runs, kLeast, kMost);
}

}  // namespace polytrace::history
