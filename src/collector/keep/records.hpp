// SPDX-License-Identifier: Apache-2.0
// How files of the collector hold what is appended to them: heads, each with the bytes behind it.
// A head tells whether it is one, so that reading goes on behind damage. Pure; thread-safe.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace polytrace::collector {

struct RecordHead {
  std::uint32_t length = 0;  // of what is behind it
  std::uint32_t crc = 0;     // CRC-32C of the rest of the head
  std::uint64_t key = 0;     // what it is of: a stream, a batch
  std::uint64_t place = 0;   // where in that
};
static_assert(sizeof(RecordHead) == 24);

RecordHead record_head(std::uint64_t key, std::uint64_t place, std::size_t length);

// Walks the records of a file.
class Records {
 public:
  explicit Records(base::Bytes bytes) : bytes_(bytes) {}

  // The next whole one; false at the end. What is none is passed over.
  bool next();
  const RecordHead& head() const { return head_; }
  base::Bytes payload() const { return payload_; }
  std::uint64_t offset() const { return at_; }      // of the head
  std::uint64_t end() const { return end_; }        // of the last record that next() gave
  std::uint64_t passed() const { return passed_; }  // bytes between records, so far

 private:
  bool is_record(std::size_t at);

  base::Bytes bytes_;
  RecordHead head_{};
  base::Bytes payload_{};
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::uint64_t passed_ = 0;
};

}  // namespace polytrace::collector
