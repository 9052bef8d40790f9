// SPDX-License-Identifier: Apache-2.0
// Decoded blocks, kept while there is room: those that were used last. Any thread.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "store/read/block_view.hpp"

namespace polytrace::store {

class BlockCache {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  explicit BlockCache(std::size_t most = kMostBytes) : most_(most) {}

  // Null when it is not there.
  std::shared_ptr<const CallBlock> find(std::size_t key);
  void keep(std::size_t key, std::shared_ptr<const CallBlock> block);

 private:
  struct Kept {
    std::size_t key;
    std::shared_ptr<const CallBlock> block;
  };

  std::size_t most_;
  std::mutex mutex_;  // guards what follows
  std::size_t bytes_ = 0;
  std::list<Kept> blocks_;  // the last used first
  std::unordered_map<std::size_t, std::list<Kept>::iterator> places_;
};

}  // namespace polytrace::store
