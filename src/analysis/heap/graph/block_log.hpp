// SPDX-License-Identifier: Apache-2.0
// A long list that grows in blocks: appending never copies what is there, and clear() keeps the
// memory for the next round.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace polytrace::analysis {

// T is trivial.
template <class T>
class BlockLog {
 public:
  static constexpr std::size_t kBlock = 65536 / sizeof(T) * 4;

  void push(const T& item) {
    if (next_ == end_) take_block();
    *next_++ = item;
  }
  void clear() {
    used_ = 0;
    next_ = end_ = nullptr;
  }
  std::size_t size() const { return used_ * kBlock - static_cast<std::size_t>(end_ - next_); }
  const T& operator[](std::size_t i) const { return blocks_[i / kBlock][i % kBlock]; }
  T& operator[](std::size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  // The blocks in order; all but the last are full.
  std::size_t blocks() const { return used_; }
  std::span<const T> block(std::size_t i) const {
    const std::size_t unused = i + 1 == used_ ? static_cast<std::size_t>(end_ - next_) : 0;
    return {blocks_[i].get(), kBlock - unused};
  }

 private:
  void take_block() {
    if (used_ == blocks_.size()) blocks_.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
    next_ = blocks_[used_++].get();
    end_ = next_ + kBlock;
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t used_ = 0;
  T* next_ = nullptr;
  T* end_ = nullptr;
};

}  // namespace polytrace::analysis
