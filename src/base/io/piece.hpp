// SPDX-License-Identifier: Apache-2.0
// How many bytes to read at once: few at first, since many inputs are small, more as it goes on.
#pragma once

#include <algorithm>
#include <cstddef>

namespace polytrace::base {

class Piece {
 public:
  explicit Piece(std::size_t most, std::size_t first = kFirst)
      : most_(most), size_(std::min(first, most)) {}

  // For the next read.
  std::size_t next() {
    const std::size_t size = size_;
    size_ = std::min(size_ * 2, most_);
    return size;
  }

 private:
  static constexpr std::size_t kFirst = 4096;

  std::size_t most_;
  std::size_t size_;
};

}  // namespace polytrace::base
