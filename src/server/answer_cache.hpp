// SPDX-License-Identifier: Apache-2.0
// Answers that took long, kept while there is room: those that were used last. Any thread.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "server/http/faults.hpp"

namespace polytrace::server {

class AnswerCache {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  // Null where it is not kept. `key` tells the trace, the address and the request.
  std::shared_ptr<const Reply> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto place = places_.find(key);
    if (place == places_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, place->second);
    return place->second->reply;
  }
  void keep(const std::string& key, const Reply& reply) {
    const std::size_t size = key.size() + reply.body.size();
    if (size > kMostBytes / 4) return;
    const std::lock_guard lock(mutex_);
    if (places_.contains(key)) return;
    kept_.push_front({key, std::make_shared<const Reply>(reply), size});
    places_[key] = kept_.begin();
    for (bytes_ += size; bytes_ > kMostBytes; kept_.pop_back()) {
      bytes_ -= kept_.back().size;
      places_.erase(kept_.back().key);
    }
  }

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<const Reply> reply;
    std::size_t size;
  };

  std::mutex mutex_;  // guards what follows
  std::size_t bytes_ = 0;
  std::list<Kept> kept_;  // the last used first
  std::unordered_map<std::string, std::list<Kept>::iterator> places_;
};

}  // namespace polytrace::server
