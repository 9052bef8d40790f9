// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/snapshot_graph.hpp"

#include <algorithm>

#include "analysis/heap/graph/holders.hpp"

namespace polytrace::analysis {

void SnapshotGraph::object(const Slice& slice, const event::Event& event) {
  static constexpr event::DumpObject kUntold{};
  const auto& object = slice.batch.details_or(event, kUntold);
  auto refs = slice.batch.list(object.refs);
  if (object.first_ref > keeps_ && !refs.empty()) {
    builder_.add_weak(event.id, refs.front().target, object.first_ref);
    refs = refs.subspan(1);
  }
  builder_.add(event.id, slice.names.class_index(object.class_id), object.size, refs);
}

// What holds the root: in the recorder's words, or the registered region it lies in.
std::string SnapshotGraph::root_name(const event::Root& details) const {
  if (details.type.empty() && details.address != base::kNoId) {
    const auto above = regions_.upper_bound(details.address);
    if (above == regions_.begin()) return "root";
    const auto& [start, region] = *std::prev(above);
    return details.address - start < region.size ? region.name : "root";
  }
  return std::string(holder_of(details));
}

void SnapshotGraph::root(const event::Event& event, const event::Root& details) {
  if (is_weak_handle(details)) builder_.add_weak(base::kNoId, event.id, Strength::weak);
  else builder_.add_root(event.id, root_name(details));
}

void SnapshotGraph::region(const event::Event& event, const event::RootRegion& details) {
  if (details.stage != event::RegionStage::registered) {
    regions_.erase(event.id);
    return;
  }
  std::string name(event::name(details.source));
  std::ranges::replace(name, '_', ' ');
  if (!details.name.empty()) name += " " + std::string(details.name);
  regions_[event.id] = {details.size, std::move(name)};
}

}  // namespace polytrace::analysis
