// SPDX-License-Identifier: Apache-2.0
// Finds the child of a tree's node by number. Open addressing over node numbers only: the
// node itself, which the caller reads anyway, holds the key. One thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/large_pages.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::base {

class ChildIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Small: there are programs that hold thousands of trees, most of them with few nodes.
  ChildIndex() : slots_(32), seed_(process_seed()) {}

  // The slot of the child of `parent` for `method`: its node, or kNone in a slot to fill with
  // put(). is_it(node) tells whether a node is that child.
  template <class IsIt>
  std::uint32_t find(std::uint32_t parent, std::uint32_t method, const IsIt& is_it) {
    const std::uint32_t hash = mix(parent, method);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at].node != kNone; at = (at + 1) & mask)
      if (slots_[at].hash == hash && is_it(slots_[at].node)) return slots_[at].node;
    hash_ = hash;
    at_ = at;
    return kNone;
  }
  // Fills the slot the last find() ended at.
  void put(std::uint32_t node) {
    slots_[at_] = {node, hash_};
    if (++used_ > slots_.size() / 8 * 5) grow();
  }
  // The child of `parent` for `method` among `nodes`; kNone where there is none.
  template <class Nodes>
  std::uint32_t known(const Nodes& nodes, std::uint32_t parent, std::uint32_t method) {
    return find(parent, method, [&](std::uint32_t node) {
      return nodes[node].parent == parent && nodes[node].method == method;
    });
  }
  // The same, made at the end of `nodes` where there is none.
  template <class Nodes>
  std::uint32_t child(Nodes& nodes, std::uint32_t parent, std::uint32_t method) {
    const std::uint32_t there = known(nodes, parent, method);
    if (there != kNone) return there;
    const auto made = static_cast<std::uint32_t>(nodes.size());
    nodes.emplace_back().method = method;
    nodes[made].parent = parent;
    put(made);
    return made;
  }
  void clear() { slots_ = {}; }

 private:
  struct Slot {
    std::uint32_t node = kNone;
    std::uint32_t hash = 0;  // its low bits say where the search begins
  };

  // Seeded: a hostile trace cannot choose its collisions.
  std::uint32_t mix(std::uint32_t parent, std::uint32_t method) const {
    std::uint64_t hash = ((std::uint64_t{parent} << 32) | method) ^ seed_;
    hash = (hash ^ (hash >> 31)) * 0x9e3779b97f4a7c15U;
    hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9U;
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
  }
  void grow() {
    std::vector<Slot, LargePages<Slot>> old(slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.node == kNone) continue;
      std::size_t at = slot.hash & mask;
      while (slots_[at].node != kNone) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<Slot, LargePages<Slot>> slots_;  // a power of two
  std::size_t used_ = 0;
  std::uint64_t seed_;
  // Where the last find() ended.
  std::size_t at_ = 0;
  std::uint32_t hash_ = 0;
};

}  // namespace polytrace::base
