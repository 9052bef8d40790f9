// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/study.hpp"

#include <algorithm>

#include "analysis/heap/holders.hpp"
#include "analysis/heap/tables.hpp"
#include "analysis/selected.hpp"

namespace polytrace::analysis {

using event::Event;
using event::Kind;

bool HeapStudy::consume(const event::Batch& batch) {
  slicer_.slice(batch, [&](const Slice& slice) {
    for (const std::uint32_t i : slice.others) {
      if (sites_) sites_->take(slice, i);
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
    case Kind::Root: return open_ ? root(event, batch.details_or<event::Root>(event, {})) : void();
    case Kind::RootRegion: return region(event, batch.details_or<event::RootRegion>(event, {}));
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
  open_ = true;
}

void HeapStudy::object(const Slice& slice, const Event& event) {
  static constexpr event::DumpObject kUntold{};
  const auto& object = slice.batch.details_or(event, kUntold);
  const std::uint32_t type = slice.names.class_index(object.class_id);
  auto refs = slice.batch.list(object.refs);
  ClassFigures& figures = slot(figures_, type);
  figures.type = type;
  figures.objects += object.size != 0;  // else it goes on with one that is told already
  figures.bytes += object.size;
  snapshots_.back().references += refs.size();
  if (sites_) sites_->object(event.id, type, object.size);
  if (!builds()) return;
  if (object.first_ref > keeps_ && !refs.empty()) {
    builder_.add_weak(event.id, refs.front().target, object.first_ref);
    refs = refs.subspan(1);
  }
  builder_.add(event.id, type, object.size, refs);
}

// What holds the root: in the recorder's words, or the registered region it lies in.
std::string HeapStudy::root_name(const event::Root& details) const {
  if (details.type.empty() && details.address != base::kNoId) {
    const auto above = regions_.upper_bound(details.address);
    if (above == regions_.begin()) return "root";
    const auto& [start, region] = *std::prev(above);
    return details.address - start < region.size ? region.name : "root";
  }
  return std::string(holder_of(details));
}

void HeapStudy::root(const Event& event, const event::Root& details) {
  ++snapshots_.back().roots;
  if (is_weak_handle(details)) builder_.add_weak(base::kNoId, event.id, Strength::weak);
  else builder_.add_root(event.id, root_name(details));
}

void HeapStudy::region(const Event& event, const event::RootRegion& details) {
  if (details.stage != event::RegionStage::registered) {
    regions_.erase(event.id);
    return;
  }
  std::string name(event::name(details.source));
  std::ranges::replace(name, '_', ' ');
  if (!details.name.empty()) name += " " + std::string(details.name);
  regions_[event.id] = {details.size, std::move(name)};
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
  if (!wants(complete)) return;
  graph_ = std::move(graph);
  snapshot.outside = graph_.outside();
  chosen_ = snapshots_.size() - 1;
}

void HeapStudy::finish() {
  close(false);
  for (HeapSnapshot& snapshot : snapshots_) resolve(snapshot, names());
}

}  // namespace polytrace::analysis
