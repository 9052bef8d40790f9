// SPDX-License-Identifier: Apache-2.0
// How often each method is open (entered, not left) in each thread, in constant time and in memory
// bounded by the open calls. Most methods are open in one thread at a time: that count stands in a
// plain array, only the others need a hash table.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <vector>

namespace polytrace::analysis {

class OpenCounts {
 public:
  [[gnu::always_inline]] void enter(std::uint32_t thread, std::uint32_t method) {
    if (method >= owners_.size()) [[unlikely]]
      owners_.resize(method + owners_.size() / 2 + 256);
    Owner& owner = owners_[method];
    if (owner.thread == thread) ++owner.count;
    else enter_other(owner, thread, method);
  }
  // How often the method stays open in that thread. REQUIRES: an enter() without leave().
  [[gnu::always_inline]] std::uint32_t leave(std::uint32_t thread, std::uint32_t method) {
    Owner& owner = owners_[method];
    return owner.thread == thread ? --owner.count : leave_other(thread, method);
  }
  bool is_open(std::uint32_t thread, std::uint32_t method) const {
    if (method >= owners_.size()) return false;
    const Owner& owner = owners_[method];
    if (owner.thread == thread) return owner.count != 0;
    return others_.contains(key(thread, method));
  }

 private:
  // A pair is counted either by its method's owner or in others_, never in both.
  struct Owner {
    std::uint32_t thread = ~std::uint32_t{0};
    std::uint32_t count = 0;
  };
  struct Hash {
    std::size_t operator()(std::uint64_t key) const {
      key *= 0x9e3779b97f4a7c15U;
      return key ^ (key >> 32);
    }
  };
  static std::uint64_t key(std::uint32_t thread, std::uint32_t method) {
    return (std::uint64_t{thread} << 32) | method;
  }

  void enter_other(Owner& owner, std::uint32_t thread, std::uint32_t method) {
    if (owner.count == 0 && (others_.empty() || !others_.contains(key(thread, method)))) {
      owner = {thread, 1};
    } else {
      ++others_[key(thread, method)];
    }
  }
  std::uint32_t leave_other(std::uint32_t thread, std::uint32_t method) {
    const auto found = others_.find(key(thread, method));
    const std::uint32_t left = --found.value();
    if (left == 0) others_.erase(found);
    return left;
  }

  std::vector<Owner> owners_;  // by method
  tsl::robin_map<std::uint64_t, std::uint32_t, Hash> others_;
};

}  // namespace polytrace::analysis
