// SPDX-License-Identifier: Apache-2.0
// All stacks of a trace as the nodes of one tree, while it grows: what was called in a stack is
// that stack's child. Path 0 is the empty stack; parents have smaller numbers. A full table has one
// more path for each method, below one of no method: a call's path is then that of its method,
// whatever called it. 24 bytes a path. One thread at a time.
#pragma once

#include <cstdint>

#include "base/raw_array.hpp"

namespace polytrace::store {

class PathTable {
 public:
  static constexpr std::uint32_t kMostPaths = std::uint32_t{1} << 22;

  explicit PathTable(std::uint32_t most = kMostPaths);

  // The path of `method` called in `parent`; a new one on first sight.
  std::uint32_t child(std::uint32_t parent, std::uint32_t method) {
    Node& caller = nodes_[parent];
    const Node& last = nodes_[caller.last_child];
    if (last.method == method && caller.last_child != 0) return caller.last_child;
    if (nodes_[last.next].method == method && last.next != 0) return caller.last_child = last.next;
    return other_child(parent, method);
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::uint32_t parent(std::uint32_t path) const { return nodes_[path].parent; }
  // kNoMethod of path 0 and of the one that merged paths are below.
  std::uint32_t method(std::uint32_t path) const { return nodes_[path].method; }
  bool has_merged() const { return merged_ != 0; }

 private:
  struct Node {
    std::uint32_t parent;
    std::uint32_t method;
    std::uint32_t last_child;  // that was asked for; 0 none
    std::uint32_t next;        // of the same parent, in a ring by first calls
  };

  std::uint32_t other_child(std::uint32_t parent, std::uint32_t method);
  std::uint32_t find(std::uint32_t parent, std::uint32_t method, std::size_t& place) const;
  std::uint32_t add(std::uint32_t parent, std::uint32_t method, std::size_t place);
  std::size_t place_of(std::uint32_t parent, std::uint32_t method) const;
  void grow(std::size_t places);

  std::uint32_t most_;
  std::uint32_t merged_ = 0;  // the path that merged ones are below
  std::uint64_t seed_;
  base::RawArray<Node> nodes_;
  base::RawArray<std::uint32_t> places_;  // by hash; 0 free
};

}  // namespace polytrace::store
