// SPDX-License-Identifier: Apache-2.0
// Records of fixed size: heads of files and of frames.
#pragma once

#include <array>
#include <cstring>

#include "base/io/crc32c.hpp"
#include "base/types.hpp"

namespace polytrace::base {

// Writes fields one after the other into a record of fixed size.
template <std::size_t kSize>
class FixedRecord {
 public:
  template <class T>
  FixedRecord& put(T value) {
    std::memcpy(bytes_.data() + at_, &value, sizeof value);
    at_ += sizeof value;
    return *this;
  }
  // The checksum of everything so far.
  FixedRecord& sum() { return put(crc32c(Bytes(bytes_).first(at_))); }
  const std::array<std::byte, kSize>& bytes() const { return bytes_; }

 private:
  std::array<std::byte, kSize> bytes_{};
  std::size_t at_ = 0;
};

}  // namespace polytrace::base
