// SPDX-License-Identifier: Apache-2.0
// Reads the heap snapshots of a trace for the questions of questions.hpp: of each snapshot the
// figures by class, of one or two the whole graph. Objects of which a snapshot tells references
// alone have their classes and sizes from their allocations. One thread at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/heap/allocated.hpp"
#include "analysis/heap/graph/fields.hpp"
#include "analysis/heap/graph/graph.hpp"
#include "analysis/heap/graph/snapshot.hpp"
#include "analysis/heap/graph/stacks.hpp"
#include "analysis/heap/growth.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/words.hpp"
#include "event/pump.hpp"
#include "slice/slicer.hpp"

namespace polytrace::analysis {

// The graph of a snapshot as the events of a trace tell it.
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

class HeapStudy final : public event::Consumer {
 public:
  using Strength = event::RefStrength;

  // The graph of snapshot `wanted`, counted from 0; of the last complete one if that is absent.
  // `keeps`: as of SnapshotGraph.
  explicit HeapStudy(std::optional<std::uint64_t> wanted, Strength keeps = Strength::soft,
                     HeapObjects objects = HeapObjects::may_be_bare)
      : wanted_(wanted), builder_(keeps) {
    if (objects == HeapObjects::may_be_bare) allocated_.emplace();
  }

  // Before the first batch: the graph of this snapshot, too.
  void compare_with(std::uint64_t snapshot) { compared_ = snapshot; }

  // Before the first batch: sites() will tell which places made the objects. 4 bytes for each 8 of
  // the heap.
  void follow_sites() {
    sites_.emplace();
    slicer_.follow_calls();
  }

  bool consume(const event::Batch& batch) override;
  // Once, after the last batch.
  void finish();

  const Names& names() const { return slicer_.names(); }
  void shorten_names(std::size_t longest) { slicer_.shorten_names(longest); }
  // In the order of the trace, sorted by class, without pairs.
  std::span<const HeapSnapshot> snapshots() const { return snapshots_; }
  // Of which snapshot graph() is; absent when there is none such.
  std::optional<std::size_t> chosen() const { return chosen_; }
  const HeapGraph& graph() const { return graph_; }
  // Of a snapshot that was asked for; null when there is none such.
  const HeapGraph* graph_of(std::size_t snapshot) const {
    if (chosen_ == snapshot) return &graph_;
    return compared_ == snapshot && compared_graph_ ? &*compared_graph_ : nullptr;
  }
  const FieldNames& fields() const { return fields_; }
  const ThreadStacks& stacks() const { return stacks_; }
  // Null unless they were asked for.
  const HeapSites* sites() const { return sites_ ? &*sites_ : nullptr; }

 private:
  void take(const Slice& slice, const event::Event& event);
  void dump(const event::Event& event, const event::Dump& details);
  void object(const Slice& slice, const event::Event& event);
  void count(std::uint32_t type, std::uint64_t size);
  // Takes what allocated_ joins.
  auto joined() {
    return [this](base::Id id, std::uint32_t type, std::uint64_t size,
                  std::span<const event::Ref> references, bool is_new) {
      if (is_new) count(type, size);
      if (is_new && sites_) sites_->object(id, type, size);
      if (builds()) builder_.add(id, type, size, references);
    };
  }
  void root(const Slice& slice, const event::Event& event);
  bool builds() const {
    const std::size_t open = snapshots_.size() - 1;
    return !wanted_ || wanted_ == open || compared_ == open;
  }
  void close(bool complete);
  bool wants(bool complete) const;

  std::optional<std::uint64_t> wanted_;
  std::optional<std::uint64_t> compared_;
  Slicer slicer_;
  std::vector<HeapSnapshot> snapshots_;
  std::vector<ClassFigures> figures_;  // of the open snapshot, by class index
  SnapshotGraph builder_;
  FieldNames fields_;
  ThreadStacks stacks_;
  std::optional<HeapSites> sites_;
  std::optional<AllocatedObjects> allocated_;  // where objects may be bare
  bool open_ = false;
  std::optional<std::size_t> chosen_;
  HeapGraph graph_;
  std::optional<HeapGraph> compared_graph_;
};

}  // namespace polytrace::analysis
