// SPDX-License-Identifier: Apache-2.0
// Turns a buffer of changes into the payload of a SEGM frame (docs/formats/state-history.md,
// "SEGM"). Keeps its memory between segments. One thread at a time.
#pragma once

#include <span>
#include <vector>

#include "base/io/appender.hpp"
#include "base/raw_array.hpp"
#include "history/layout/key_list.hpp"

namespace polytrace::history {

class SegmentWriter {
 public:
  struct Input {
    Tick first;                             // of the segment
    Tick last;                              // its last change
    const KeyList& keys;                    // all of them listed
    std::span<const State> entries;         // by index: what holds before
    std::span<const Change> changes;        // in order of time within each timeline
    std::span<const std::uint32_t> counts;  // by index: changes that are not dead
  };
  // The payload; lives until the next call. Its changes of one timeline, after a call, are those
  // of run().
  base::Bytes write(const Input& input);
  // Of the last call: by index, in order of time.
  std::span<const Change> run(std::uint32_t index) const;

  // In the last payload.
  std::uint64_t changes() const { return sorted_.size(); }
  // Those of them that begin an interval.
  std::uint64_t intervals() const { return intervals_; }

  // Changes per segment that keep the tables near a thirteenth of the file, by the last call.
  std::size_t good_size() const;

 private:
  void sort(const Input& input);
  void put_directory_and_runs(const Input& input, bool sparse);

  base::Appender payload_;
  base::RawArray<Change> sorted_;
  std::vector<std::uint32_t> ends_;    // by index: of its run in sorted_
  std::vector<std::uint32_t> active_;  // indexes, in order of keys
  std::vector<std::uint32_t> counts_;
  std::uint64_t intervals_ = 0;
  std::size_t table_bytes_ = 0;
  std::size_t run_bytes_ = 0;
};

}  // namespace polytrace::history
