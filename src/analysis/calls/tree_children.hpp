// SPDX-License-Identifier: Apache-2.0
// The children of the nodes of a growing call tree. Most nodes have few: those stand in a ring that
// is walked, and what is walked was called lately and is near. Only where there are many of them a
// hash table finds them, whose places are anywhere in memory. One thread at a time.
#pragma once

#include <cstdint>

#include "base/child_index.hpp"

namespace polytrace::analysis {

class TreeChildren {
 public:
  // The child of `parent` for `method`, made at the end of `nodes` where there is none; it is the
  // parent's last_child then. Of a node this uses parent, method, last_child, next and children.
  template <class Nodes>
  std::uint32_t child(Nodes& nodes, std::uint32_t parent, std::uint32_t method) {
    if (nodes[parent].children > kFew) return one_of_many(nodes, parent, method);
    std::uint32_t at = nodes[parent].last_child;
    for (std::uint32_t i = nodes[parent].children; i != 0; --i, at = nodes[at].next)
      if (nodes[at].method == method) return nodes[parent].last_child = at;
    return make(nodes, parent, method);
  }
  void clear() { many_.clear(); }

 private:
  static constexpr std::uint32_t kFew = 8;

  template <class Nodes>
  std::uint32_t make(Nodes& nodes, std::uint32_t parent, std::uint32_t method) {
    const auto made = static_cast<std::uint32_t>(nodes.size());
    nodes.emplace_back().method = method;
    nodes[made].parent = parent;
    auto& above = nodes[parent];
    std::uint32_t& before = above.children == 0 ? nodes[made].next : nodes[above.last_child].next;
    nodes[made].next = above.children == 0 ? made : before;
    before = made;
    above.last_child = made;
    if (++above.children > kFew) index(nodes, parent);
    return made;
  }
  // All of the ring, which is none from now on.
  template <class Nodes>
  void index(const Nodes& nodes, std::uint32_t parent) {
    std::uint32_t at = nodes[parent].last_child;
    for (std::uint32_t i = nodes[parent].children; i != 0; --i, at = nodes[at].next)
      if (many_.known(nodes, parent, nodes[at].method) == base::ChildIndex::kNone) many_.put(at);
  }
  // `next` is the sibling that was called after a node last time.
  template <class Nodes>
  std::uint32_t one_of_many(Nodes& nodes, std::uint32_t parent, std::uint32_t method) {
    const std::uint32_t node = many_.child(nodes, parent, method);
    nodes[nodes[parent].last_child].next = node;
    return nodes[parent].last_child = node;
  }

  base::ChildIndex many_;
};

}  // namespace polytrace::analysis
