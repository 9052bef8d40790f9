// SPDX-License-Identifier: Apache-2.0
// What the first pass notes of memory and its collector.
#include <algorithm>
#include <array>

#include "analysis/states/gather/gatherer.hpp"

namespace polytrace::analysis {

using base::kNoId;

void Gatherer::alloc(const Event& event) {
  const auto alloc = details<event::Alloc>(event);
  add(What::alloc, {.a = alloc.object, .b = alloc.size, .index = class_index(event.id)});
  // The objects that this one stands for.
  const std::uint64_t more = std::max<std::uint64_t>(alloc.weight, 1) - 1;
  if (more != 0) add(What::alloc_many, {.a = more, .b = more * alloc.size});
}

void Gatherer::alloc_summary(const Event& event) {
  const auto summary = details<event::AllocSummary>(event);
  add(What::alloc_many, {.a = summary.count, .b = summary.bytes});
}

void Gatherer::free(const Event& event) {
  to_.seen.frees = true;
  add(What::free, {.a = event.id});
}

void Gatherer::move(const Event& event) {
  add(What::move, {.a = event.id, .b = details<event::Move>(event).to});
}

// The rows of one census have its collection or, without one, its time in common.
void Gatherer::census(const Event& event) {
  to_.seen.census = true;
  const auto census = details<event::Census>(event);
  if (census.collection != census_of_ || (census_of_ == kNoId && event.time != census_time_))
    ++censuses_;
  census_of_ = census.collection;
  census_time_ = event.time;
  const bool lives = census.reach != event::Reach::unreachable;
  add(What::census, {.a = lives ? census.objects : 0,
                     .b = lives ? census.bytes : 0,
                     .thread = censuses_,
                     .index = class_index(event.id)});
}

// What a dump without an end counted is not all there was.
void Gatherer::dump(const Event& event) {
  const bool starts = details<event::Dump>(event).stage == event::DumpStage::start;
  if (in_dump_ && !starts) end_dump();
  in_dump_ = starts;
  dumped_.clear();
  dumped_at_.clear();
}

void Gatherer::end_dump() {
  to_.seen.dumps = true;
  ++censuses_;
  for (const auto& [type, counted] : dumped_)
    add(What::dumped,
        {.a = counted.objects, .b = counted.bytes, .thread = censuses_, .index = type});
  if (dumped_.empty()) add(What::dumped, {.thread = censuses_});
}

void Gatherer::dump_object(const Event& event) {
  if (!in_dump_) return;
  const auto object = details<event::DumpObject>(event);
  const std::uint32_t type = class_index(object.class_id);
  const auto [at, is_new] = dumped_at_.try_emplace(type, dumped_.size());
  if (is_new) dumped_.emplace_back(type, Counted());
  Counted& counted = dumped_[at->second].second;
  ++counted.objects;
  counted.bytes += object.size;
}

void Gatherer::gc(const Event& event) {
  const auto gc = details<event::Gc>(event);
  to_.seen.world_stops |= gc.phase == event::GcPhase::world_stopped;
  add(What::gc, {.a = gc.generation,
                 .index = text_index(gc.reason),
                 .detail = static_cast<std::uint8_t>(gc.phase)});
}

void Gatherer::sync(const Event& event) {
  const event::SyncKind kind = details<event::SyncPoint>(event).sync;
  if (kind == event::SyncKind::periodic) return;
  to_.seen.world_syncs = true;
  const bool stops = kind == event::SyncKind::world_stop;
  add(What::world, {.detail = static_cast<std::uint8_t>(stops ? 1 : 0)});
}

void Gatherer::heap_size(const Event& event) {
  const auto size = details<event::HeapSize>(event);
  const std::uint32_t generation = text_index(size.generation);
  const std::array values{size.total, size.used, size.objects};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    add(What::heap, {.a = values[i], .index = generation, .detail = static_cast<std::uint8_t>(i)});
  }
}

}  // namespace polytrace::analysis
