// SPDX-License-Identifier: Apache-2.0
// What a reader decoded, in the words of its format: native records by kind, with their bytes. With
// the notices this accounts for every byte of the input.
#pragma once

#include <array>
#include <cstdint>

namespace polytrace::event {

struct Tally {
  struct Records {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  std::array<Records, 256> records{};  // by native record number, see Format::record_name
  std::uint64_t frames = 0;            // buffers, blocks or messages
  std::uint64_t frame_bytes = 0;       // of the file header and frame headers
  std::uint64_t time_wraps = 0;        // records whose time lies before their predecessor's
                                       // by way of wrapped arithmetic
  void merge(const Tally& other) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].count += other.records[i].count;
      records[i].bytes += other.records[i].bytes;
    }
    frames += other.frames;
    frame_bytes += other.frame_bytes;
    time_wraps += other.time_wraps;
  }
  std::uint64_t record_bytes() const {
    std::uint64_t sum = 0;
    for (const Records& kind : records) sum += kind.bytes;
    return sum;
  }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const Records& kind : records) sum += kind.count;
    return sum;
  }
};

}  // namespace polytrace::event
