// SPDX-License-Identifier: Apache-2.0
// Reads the heap snapshots of a trace for the questions of heap_questions.hpp: of each snapshot the
// figures by class, of one the whole graph. One thread at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/heap_graph.hpp"
#include "analysis/heap_snapshot.hpp"
#include "analysis/slicer.hpp"
#include "event/pump.hpp"

namespace polytrace::analysis {

class HeapStudy final : public event::Consumer {
 public:
  // The graph of snapshot `wanted`, counted from 0; of the last complete one if that is absent.
  explicit HeapStudy(std::optional<std::uint64_t> wanted) : wanted_(wanted) {}

  bool consume(const event::Batch& batch) override;
  // Once, after the last batch.
  void finish();

  const Names& names() const { return slicer_.names(); }
  // In the order of the trace, sorted by class, without pairs.
  std::span<const HeapSnapshot> snapshots() const { return snapshots_; }
  // Of which snapshot graph() is; absent when there is none such.
  std::optional<std::size_t> chosen() const { return chosen_; }
  const HeapGraph& graph() const { return graph_; }

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
  void close(bool complete);
  bool wants(bool complete) const;

  std::optional<std::uint64_t> wanted_;
  Slicer slicer_;
  std::vector<HeapSnapshot> snapshots_;
  std::vector<ClassFigures> figures_;  // of the open snapshot, by class index
  HeapGraphBuilder builder_;
  bool open_ = false;
  std::map<base::Id, Region> regions_;  // of roots, by their start
  std::optional<std::size_t> chosen_;
  HeapGraph graph_;
};

}  // namespace polytrace::analysis
