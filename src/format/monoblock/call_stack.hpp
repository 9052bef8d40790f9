// SPDX-License-Identifier: Apache-2.0
// The methods entered and not yet left in one EVENTS block (docs/formats/monoblock.md, 4.6).
// One thread at a time; reuse one object, its memory is recycled.
#pragma once

#include <vector>

#include "base/seeded_hash.hpp"
#include "base/types.hpp"

namespace polytrace::format::monoblock {

class CallStack {
 public:
  using Id = base::Id;

  void clear() {
    top_ = 1;
    counts_.clear();
    counted_ = false;
  }
  bool empty() const { return top_ == 1; }
  void push(Id method) {
    room(1);
    slots_[top_++] = method;
    if (counted_) ++counts_[method];
  }
  // REQUIRES: not empty().
  Id pop() {
    const Id method = slots_[--top_];
    if (counted_) --counts_[method];
    return method;
  }
  // REQUIRES: not empty().
  Id innermost() const { return slots_[top_ - 1]; }
  // Down to and including the method, if it is on the stack.
  void leave(Id method) {
    if (!holds(method)) return;
    while (pop() != method) {
    }
  }

  // --- for the hot loop, which works on the slots itself ---
  // Whether it may: not behind a search that went deep.
  bool plain() const { return !counted_; }
  // One past the innermost slot, with room for `more`. The slot before the outermost holds kNoId.
  Id* top(std::size_t more) {
    room(more);
    return slots_.data() + top_;
  }
  void set_top(const Id* top) { top_ = static_cast<std::size_t>(top - slots_.data()); }

 private:
  static constexpr std::size_t kNear = 32;

  void room(std::size_t more) {
    if (slots_.size() - top_ >= more) return;
    slots_.resize(2 * (top_ + more), base::kNoId);
  }
  // Only near the top by search: beyond, methods are counted, so that no input makes it slow.
  bool holds(Id method) {
    if (!counted_) {
      for (std::size_t i = 1; i <= kNear; ++i) {
        if (i >= top_) return false;
        if (slots_[top_ - i] == method) return true;
      }
      for (std::size_t i = 1; i < top_; ++i) ++counts_[slots_[i]];
      counted_ = true;
    }
    const auto found = counts_.find(method);
    return found != counts_.end() && found->second > 0;
  }

  std::vector<Id> slots_ = std::vector<Id>(64, base::kNoId);  // the first one is no frame
  std::size_t top_ = 1;
  base::IdMap<std::size_t> counts_;  // only while counted_
  bool counted_ = false;
};

}  // namespace polytrace::format::monoblock
