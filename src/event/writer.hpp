// SPDX-License-Identifier: Apache-2.0
// The writing door of a format: batches in, bytes out. One thread at a time.
#pragma once

#include <array>
#include <map>
#include <string>

#include "base/result.hpp"
#include "event/batch.hpp"

namespace polytrace::event {

// What the target could not hold: whole events by kind, and single fields of events that were
// written. A conversion shows it.
struct Loss {
  std::array<u64, kKindCount> events{};
  std::map<std::string, u64> fields;  // "sample.places" -> how many had one

  void event(Kind kind) { ++events[static_cast<std::size_t>(kind)]; }
  void field(Kind kind, std::string_view name) {
    ++fields[std::string(describe(kind).name) + "." + std::string(name)];
  }
  u64 total() const {
    u64 sum = 0;
    for (const u64 count : events) sum += count;
    for (const auto& [name, count] : fields) sum += count;
    return sum;
  }
};

class Writer {
 public:
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  virtual ~Writer() = default;

  // Settled batches in stream order. What the format cannot hold is counted in loss().
  virtual base::result<void> write(const Batch& batch) = 0;
  // Writes what is still held back and commits the sink. Without it nothing appears.
  virtual base::result<void> finish() = 0;
  virtual const Loss& loss() const = 0;
};

}  // namespace polytrace::event
