// SPDX-License-Identifier: Apache-2.0
// Where the threads of a heap dump stood when it was written: whose local variable keeps something
// alive. One thread at a time; const use is thread-safe.
#pragma once

#include <string>
#include <vector>

#include "analysis/heap/graph/graph.hpp"
#include "analysis/table/words.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

class ThreadStacks {
 public:
  // Stacks that stand for no time, as those of heap dumps are, and methods; others are passed over.
  // The last stack of a thread counts.
  void take(const Slice& slice, const event::Event& event);
  // "thread worker-14, in Shop.sell (Shop.java:4)", as far as it is told; empty where nothing is.
  std::string owner_text(const RootOwner& owner, const Names& names) const;

 private:
  struct Frame {
    std::uint32_t method;
    std::int64_t line;  // -1: not told
  };
  std::string frame_text(const Frame& frame, const Names& names) const;

  base::IdMap<std::vector<Frame>> stacks_;  // by thread; the outermost frame first
  base::IdMap<std::string> sources_;        // of methods: names of files, by index
};

}  // namespace polytrace::analysis
