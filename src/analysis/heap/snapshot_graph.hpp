// SPDX-License-Identifier: Apache-2.0
// The graph of a snapshot as the events of a trace tell it. One thread at a time.
#pragma once

#include <map>
#include <string>

#include "analysis/analysis.hpp"
#include "analysis/heap/graph/graph.hpp"

namespace polytrace::analysis {

class SnapshotGraph {
 public:
  using Strength = event::RefStrength;

  // References that are weaker than `keeps` keep nothing alive: phantom takes all for strong,
  // unknown only those of which nothing else is told.
  explicit SnapshotGraph(Strength keeps = Strength::soft) : keeps_(keeps) {}

  // Of the snapshot that is open.
  void object(const Slice& slice, const event::Event& event);
  void add(base::Id id, std::uint32_t type, std::uint64_t size,
           std::span<const event::Ref> references) {
    builder_.add(id, type, size, references);
  }
  void root(const event::Event& event, const event::Root& details);
  // At any time: what roots are called by their place.
  void region(const event::Event& event, const event::RootRegion& details);
  std::uint64_t objects() const { return builder_.objects(); }
  // Everything since the last time.
  HeapGraph finish() { return builder_.finish(); }
  void drop() { builder_ = {}; }

 private:
  struct Region {
    std::uint64_t size;
    std::string name;
  };
  std::string root_name(const event::Root& details) const;

  Strength keeps_;
  HeapGraphBuilder builder_;
  std::map<base::Id, Region> regions_;  // of roots, by their start
};

}  // namespace polytrace::analysis
