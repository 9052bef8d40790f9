// SPDX-License-Identifier: Apache-2.0
// How long the calls of each method took in the whole trace, added up as blocks become finished. In
// bounded memory: who would take more gives up, and the figures come from the blocks when they are
// asked for. One thread at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "base/slot.hpp"
#include "store/build/block_encoder.hpp"
#include "store/file/whole_layout.hpp"

namespace polytrace::store {

class WholeLog {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  explicit WholeLog(std::size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // Before any call that the block entered ends.
  void know(const EncodedBlock& block) {
    ThreadPart& part = thread(block.head.thread);
    for (const PathSum& sum : block.sums) part.in_calls += sum.self;
    if (gave_up_) return;
    for (const PathMethod& one : block.methods) {
      if (one.path >= methods_of_.size()) methods_of_.resize(one.path + one.path / 2 + 256);
      methods_of_[one.path] = one.method;
    }
  }
  void add(std::uint32_t path, std::uint64_t duration) {
    if (path >= methods_of_.size()) [[unlikely]]
      return give_up();
    const std::uint32_t method = methods_of_[path];
    if (method >= methods_.size()) [[unlikely]]
      make_room(method);
    MethodWhole& whole = methods_[method];
    if (!whole.sketch.has_room(duration)) [[unlikely]]
      return add_more(whole, duration);
    whole.add(duration);
  }
  // So many calls of the thread were open at once.
  void deepen(std::uint32_t thread_index, std::uint64_t calls) {
    std::uint64_t& deepest = thread(thread_index).deepest;
    deepest = std::max(deepest, calls);
  }
  void give_up() {
    gave_up_ = true;
    methods_ = {};
    methods_of_ = {};
  }
  bool gave_up() const { return gave_up_; }
  // Of the whole trace, when it has ended.
  const std::vector<MethodWhole>& methods() const { return methods_; }
  struct ThreadPart {
    std::uint64_t in_calls = 0;
    std::uint64_t deepest = 0;
  };
  ThreadPart& thread(std::uint32_t index) { return base::slot(threads_, index); }

 private:
  void make_room(std::uint32_t method) {
    const std::size_t size = method + method / 2 + std::size_t{256};
    bytes_ += (size - methods_.size()) * sizeof(MethodWhole);
    methods_.resize(size);
  }
  void add_more(MethodWhole& whole, std::uint64_t duration) {
    const std::size_t before = whole.sketch.bytes();
    whole.add(duration);
    bytes_ += whole.sketch.bytes() - before;
    if (bytes_ > most_bytes_) give_up();
  }

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;  // of methods
  bool gave_up_ = false;
  std::vector<std::uint32_t> methods_of_;  // by path
  std::vector<MethodWhole> methods_;       // by index
  std::vector<ThreadPart> threads_;        // by index
};

}  // namespace polytrace::store
