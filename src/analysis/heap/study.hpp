// SPDX-License-Identifier: Apache-2.0
// Reads the heap snapshots of a trace for the questions of questions.hpp: of each snapshot the
// figures by class, of one the whole graph. One thread at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/heap/graph.hpp"
#include "analysis/heap/sites.hpp"
#include "analysis/heap/snapshot.hpp"
#include "analysis/slicer.hpp"
#include "event/pump.hpp"

namespace polytrace::analysis {

class HeapStudy final : public event::Consumer {
 public:
  using Strength = event::RefStrength;

  // The graph of snapshot `wanted`, counted from 0; of the last complete one if that is absent.
  // References that are weaker than `keeps` keep nothing alive: phantom takes all for strong,
  // unknown only those of which nothing else is told.
  explicit HeapStudy(std::optional<std::uint64_t> wanted, Strength keeps = Strength::soft)
      : wanted_(wanted), keeps_(keeps) {}

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
  // In the order of the trace, sorted by class, without pairs.
  std::span<const HeapSnapshot> snapshots() const { return snapshots_; }
  // Of which snapshot graph() is; absent when there is none such.
  std::optional<std::size_t> chosen() const { return chosen_; }
  const HeapGraph& graph() const { return graph_; }
  // Null unless they were asked for.
  const HeapSites* sites() const { return sites_ ? &*sites_ : nullptr; }

 private:
  struct Region {
    std::uint64_t size;
    std::string name;
  };

  void take(const Slice& slice, const event::Event& event);
  void dump(const event::Event& event, const event::Dump& details);
  void object(const Slice& slice, const event::Event& event);
  void root(const event::Event& event, const event::Root& details);
  void region(const event::Event& event, const event::RootRegion& details);
  std::string root_name(const event::Root& details) const;
  bool builds() const { return !wanted_ || *wanted_ == snapshots_.size() - 1; }
  void close(bool complete);
  bool wants(bool complete) const;

  std::optional<std::uint64_t> wanted_;
  Strength keeps_;
  Slicer slicer_;
  std::vector<HeapSnapshot> snapshots_;
  std::vector<ClassFigures> figures_;  // of the open snapshot, by class index
  HeapGraphBuilder builder_;
  std::optional<HeapSites> sites_;
  bool open_ = false;
  std::map<base::Id, Region> regions_;  // of roots, by their start
  std::optional<std::size_t> chosen_;
  HeapGraph graph_;
};

}  // namespace polytrace::analysis
