// SPDX-License-Identifier: Apache-2.0
// The tree of all stacks of an index: its paths by number, parents before children; and figures by
// them. Grown by one thread; then any number may read.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/raw_array.hpp"
#include "base/result.hpp"
#include "store/file/block_layout.hpp"

namespace polytrace::store {

class Paths {
 public:
  Paths() { nodes_.push({}); }
  // The payload of a PATH frame: those that follow the ones so far. Errors: value_unexpected where
  // it does not follow, or a parent is no smaller; those of base::read_svb.
  base::result<void> add(base::Bytes payload);
  // So many there will be, as the index says: room for them is made once. Nothing depends on it.
  void expect(std::uint64_t count) {
    nodes_.room(static_cast<std::size_t>(std::min(count, kMostExpected)));
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  // Of path 0: itself.
  std::uint32_t parent(std::uint32_t path) const { return nodes_[path].parent; }
  // Index; kNoMethod of path 0 and of the one that merged paths are below.
  std::uint32_t method(std::uint32_t path) const { return nodes_[path].method; }
  // Whether the path stands for all calls of its method that had no room of their own: its parent
  // does not tell who called.
  bool is_merged(std::uint32_t path) const {
    if (method(path) == kNoMethod) return path != kEmptyPath;
    return parent(path) != kEmptyPath && method(parent(path)) == kNoMethod;
  }

 private:
  static constexpr std::uint64_t kMostExpected = std::uint64_t{1} << 23;
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t method = kNoMethod;
  };
  base::RawArray<Node> nodes_;
};

// The payload of a SUMC frame of calls, added to `into`: by path, each once. `paths`: how
// many there are. Errors: as add().
base::result<void> read_sums(base::Bytes payload, std::uint32_t paths, std::vector<PathSum>& into);
// Of one block in a frame of parts of pauses (kPausePartBlocks), `place` blocks behind the first.
base::result<void> read_pause_part(base::Bytes payload, std::uint32_t place, std::uint32_t paths,
                                   std::vector<PathSum>& into);

}  // namespace polytrace::store
