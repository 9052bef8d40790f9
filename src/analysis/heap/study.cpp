// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/study.hpp"

#include <algorithm>

#include "analysis/heap/graph/holders.hpp"
#include "analysis/heap/tables.hpp"
#include "analysis/table/words.hpp"
#include "base/slot.hpp"

namespace polytrace::analysis {

using event::Event;
using event::Kind;

void SnapshotGraph::object(const Slice& slice, const Event& event) {
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

void SnapshotGraph::root(const Event& event, const event::Root& details) {
  if (is_weak_handle(details)) builder_.add_weak(base::kNoId, event.id, Strength::weak);
  else builder_.add_root(event.id, root_name(details), owner_of(details));
}

void SnapshotGraph::region(const Event& event, const event::RootRegion& details) {
  if (details.stage != event::RegionStage::registered) {
    regions_.erase(event.id);
    return;
  }
  std::string name(event::name(details.source));
  std::ranges::replace(name, '_', ' ');
  if (!details.name.empty()) name += " " + std::string(details.name);
  regions_[event.id] = {details.size, std::move(name)};
}

bool HeapStudy::consume(const event::Batch& batch) {
  slicer_.slice(batch, [&](const Slice& slice) {
    for (const std::uint32_t i : slice.others) {
      if (sites_) sites_->take(slice, i);
      if (allocated_) allocated_->take(slice, batch.events[i]);
      take(slice, batch.events[i]);
    }
  });
  return true;
}

void HeapStudy::take(const Slice& slice, const Event& event) {
  const event::Batch& batch = slice.batch;
  switch (event.kind) {
    case Kind::DumpObject: return open_ ? object(slice, event) : void();
    case Kind::Dump: return dump(event, batch.details_or<event::Dump>(event, {}));
    case Kind::Root: return open_ ? root(slice, event) : void();
    case Kind::Sample:
    case Kind::Method: return stacks_.take(slice, event);
    case Kind::Process:
    case Kind::Field: return fields_.take(batch, event);
    case Kind::RootRegion:
      return builder_.region(event, batch.details_or<event::RootRegion>(event, {}));
    default: return;
  }
}

void HeapStudy::dump(const Event& event, const event::Dump& details) {
  if (details.stage == event::DumpStage::end) return close(true);
  close(false);
  HeapSnapshot& snapshot = snapshots_.emplace_back();
  snapshot.start = event.time;
  snapshot.name = details.name;
  if (sites_) sites_->begin_snapshot();
  if (allocated_) allocated_->begin_snapshot();
  open_ = true;
}

void HeapStudy::count(std::uint32_t type, std::uint64_t size) {
  ClassFigures& figures = base::slot(figures_, type);
  figures.type = type;
  figures.objects += size != 0;  // else it goes on with one that is told already
  figures.bytes += size;
}

void HeapStudy::object(const Slice& slice, const Event& event) {
  static constexpr event::DumpObject kUntold{};
  const auto& object = slice.batch.details_or(event, kUntold);
  const auto refs = slice.batch.list(object.refs);
  snapshots_.back().references += refs.size();
  if (allocated_ && allocated_->join(slice, event, joined())) return;
  const std::uint32_t type = slice.names.class_index(object.class_id);
  count(type, object.size);
  if (sites_) sites_->object(event.id, type, object.size);
  if (builds()) builder_.object(slice, event);
}

void HeapStudy::root(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Root>(event, {});
  ++snapshots_.back().roots;
  if (allocated_ && details.class_id != base::kNoId)
    allocated_->join(event.id, slice.names, details.class_id, {}, joined());
  builder_.root(event, details);
}

bool HeapStudy::wants(bool complete) const {
  if (wanted_) return *wanted_ == snapshots_.size() - 1;
  return complete || !chosen_ || !snapshots_[*chosen_].complete;
}

void HeapStudy::close(bool complete) {
  if (!open_) return;
  open_ = false;
  HeapSnapshot& snapshot = snapshots_.back();
  snapshot.complete = complete;
  for (const ClassFigures& figures : figures_) {
    if (figures.objects + figures.bytes == 0) continue;
    snapshot.classes.push_back(figures);
    snapshot.objects += figures.objects;
    snapshot.bytes += figures.bytes;
  }
  figures_.clear();
  HeapGraph graph = builder_.finish();
  const std::size_t number = snapshots_.size() - 1;
  if (wants(complete)) {
    graph_ = std::move(graph);
    snapshot.outside = graph_.outside();
    chosen_ = number;
  } else if (compared_ == number) {
    snapshot.outside = graph.outside();
    compared_graph_ = std::move(graph);
  }
}

void HeapStudy::finish() {
  close(false);
  for (HeapSnapshot& snapshot : snapshots_) resolve(snapshot, names());
}

}  // namespace polytrace::analysis
