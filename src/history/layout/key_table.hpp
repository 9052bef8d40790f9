// SPDX-License-Identifier: Apache-2.0
// Gives keys dense indexes in order of first sight. Keys usually come in a row from 0, and are
// their own indexes then; of the others those below a bound are looked up in an array, the rest in
// a hash table. One thread at a time.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <vector>

#include "base/seeded_hash.hpp"
#include "history/model/value.hpp"

namespace polytrace::history {

class KeyTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t find(Key key) const {
    if (key < in_row_) return key;
    if (key < kNear) return key < near_.size() ? near_[key] : kNone;
    const auto found = far_.find(key);
    return found == far_.end() ? kNone : found->second;
  }
  // REQUIRES: not there yet. Indexes are given in a row from 0.
  std::uint32_t add(Key key) {
    const std::uint32_t index = size_++;
    if (key == index && key == in_row_) return in_row_++;
    if (key >= kNear) return far_[key] = index;
    if (key >= near_.size()) near_.resize(std::size_t{key} + 1 + key / 2, kNone);
    return near_[key] = index;
  }
  std::uint32_t size() const { return size_; }

 private:
  static constexpr Key kNear = 1U << 22;

  std::vector<std::uint32_t> near_;
  tsl::robin_map<Key, std::uint32_t, base::SeededHash> far_;
  std::uint32_t size_ = 0;
  std::uint32_t in_row_ = 0;  // the first keys, each its own index
};

}  // namespace polytrace::history
