// SPDX-License-Identifier: Apache-2.0
// Objects with much memory that are used again once an encoder is done with them: fresh memory
// costs more than what is written to it. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace polytrace::store {

template <class Item>
class Spare {
 public:
  // Keeps at most so many, each of at most so many bytes, as its bytes() says.
  Spare(std::size_t most, std::size_t most_bytes) : most_(most), most_bytes_(most_bytes) {}

  // Null where there is none.
  std::unique_ptr<Item> take() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return nullptr;
    std::unique_ptr<Item> item = std::move(items_.back());
    items_.pop_back();
    return item;
  }
  void give(std::unique_ptr<Item> item) {
    if (item->bytes() > most_bytes_) return;
    item->clear();
    const std::lock_guard lock(mutex_);
    if (items_.size() < most_) items_.push_back(std::move(item));
  }

 private:
  std::size_t most_;
  std::size_t most_bytes_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Item>> items_;
};

}  // namespace polytrace::store
