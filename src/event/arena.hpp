// SPDX-License-Identifier: Apache-2.0
// Keeps the strings of one batch. Views stay valid until clear(), which keeps the memory for reuse.
#pragma once

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace polytrace::event {

class Arena {
 public:
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    char* to = take(text.size());
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }
  void clear() {
    if (blocks_.size() > 1) blocks_.resize(1);
    used_ = 0;
  }

 private:
  static constexpr std::size_t kBlock = 64 * 1024;
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size;
  };

  char* take(std::size_t size) {
    if (blocks_.empty() || blocks_.back().size - used_ < size) {
      const std::size_t room = size > kBlock ? size : kBlock;
      blocks_.push_back({std::make_unique_for_overwrite<char[]>(room), room});
      used_ = 0;
    }
    char* at = blocks_.back().bytes.get() + used_;
    used_ += size;
    return at;
  }

  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // of the last block
};

}  // namespace polytrace::event
