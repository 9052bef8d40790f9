// SPDX-License-Identifier: Apache-2.0
#include "store/read/block_cache.hpp"

namespace polytrace::store {

std::shared_ptr<const CallBlock> BlockCache::find(std::size_t key) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  blocks_.splice(blocks_.begin(), blocks_, place->second);
  return place->second->block;
}

void BlockCache::keep(std::size_t key, std::shared_ptr<const CallBlock> block) {
  const std::lock_guard lock(mutex_);
  if (places_.contains(key)) return;  // somebody else was faster
  bytes_ += block->bytes();
  blocks_.push_front({key, std::move(block)});
  places_[key] = blocks_.begin();
  while (bytes_ > most_ && blocks_.size() > 1) {
    bytes_ -= blocks_.back().block->bytes();
    places_.erase(blocks_.back().key);
    blocks_.pop_back();
  }
}

}  // namespace polytrace::store
