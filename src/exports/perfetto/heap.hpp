// SPDX-License-Identifier: Apache-2.0
// Heap snapshots as Perfetto's heap graphs, on a sequence of their own. Holds one snapshot at a
// time, from its begin to its end. One thread at a time.
#pragma once

#include "analysis/heap/allocated.hpp"
#include "analysis/heap/graph/graph.hpp"
#include "exports/perfetto/facts.hpp"
#include "exports/perfetto/packets.hpp"

namespace polytrace::exports::perfetto {

class HeapGraphs {
 public:
  using Names = slice::Names;
  using Slice = slice::Slice;

  // Both outlive this.
  HeapGraphs(PacketFile& file, Facts& facts) : file_(file), facts_(facts) {}

  // A snapshot begins, and ends another that did not.
  void open(base::Time time, const Names& names);
  bool is_open() const { return open_; }
  // Allocations and moves: what snapshots that tell references alone are joined with.
  void take(const Slice& slice, const event::Event& event) { allocated_.take(slice, event); }
  // REQUIRES: is_open()
  void add_object(const Slice& slice, const event::Event& event);
  void add_root(const Slice& slice, const event::Event& event);
  // Writes the snapshot, if one is open.
  void close(const Names& names);
  void tell(Account& account) const;

 private:
  // Takes what allocated_ joins.
  auto joined() {
    return [this](base::Id id, std::uint32_t type, std::uint64_t size,
                  std::span<const event::Ref> references,
                  bool) { builder_.add(id, type, size, references); };
  }
  using Graph = analysis::HeapGraph;

  void write(const Graph& graph, const Names& names);
  void write_object(protozero::pbf_writer& to, const Graph& graph, Graph::Index object,
                    const Names& names);
  void write_types(const Names& names);
  void write_roots(const Graph& graph);
  // A packet of the snapshot with what fill(protozero::pbf_writer&) adds.
  template <class Fill>
  void add_packet(bool last, Fill&& fill);

  PacketFile& file_;
  Facts& facts_;
  analysis::HeapGraphBuilder builder_;
  analysis::AllocatedObjects allocated_;
  bool open_ = false;
  base::Time time_ = 0;      // of the open snapshot, as it stands in the file
  std::uint64_t index_ = 0;  // of its next packet
  base::Time last_ = -1;     // of the snapshot before: the reader tells them apart by their times
  std::vector<bool> used_;   // by class: whether the open snapshot has objects of it
  std::uint64_t outside_ = 0;
  std::uint64_t roots_outside_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t rootless_ = 0;
};

}  // namespace polytrace::exports::perfetto
