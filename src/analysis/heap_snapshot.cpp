// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap_snapshot.hpp"

#include <tsl/robin_map.h>

#include <algorithm>
#include <array>

#include "analysis/seeded_hash.hpp"

namespace polytrace::analysis {

std::uint32_t SnapshotBuilder::local(std::uint32_t type) {
  if (type >= locals_.size()) locals_.resize(std::size_t{type} + 1);
  std::uint32_t& place = locals_[type];
  if (place == 0) {
    classes_.push_back({type, 0, 0});
    place = static_cast<std::uint32_t>(classes_.size());
  }
  return place - 1;
}

void SnapshotBuilder::add(base::Id address, std::uint32_t type, std::uint64_t size,
                          std::span<const event::Ref> references) {
  const std::uint32_t place = local(type);
  std::uint32_t count = 0;
  for (const event::Ref& reference : references) {
    if (reference.target == 0) continue;
    targets_.push(reference.target);
    ++count;
  }
  objects_.push({address, place, count});
  const bool first = index_.add(address);
  if (!first && size == 0) return;
  ++classes_[place].objects;
  classes_[place].bytes += size;
}

void SnapshotBuilder::number_objects() {
  index_.seal();
  type_of_.resize(index_.objects());
  for (std::size_t b = 0; b < objects_.blocks(); ++b)
    for (const Object& object : objects_.block(b))
      type_of_[index_.rank(object.address)] = object.type;
}

// In steps over a few targets at once: the cache misses of one target overlap with the others'.
void SnapshotBuilder::find_types(std::span<const base::Id> targets, std::uint32_t* types) const {
  for (const base::Id target : targets) __builtin_prefetch(index_.place_of(target));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    types[i] = index_.rank(targets[i]);
    if (types[i] != ObjectIndex::kNone) __builtin_prefetch(&type_of_[types[i]]);
  }
  const auto outside = static_cast<std::uint32_t>(classes_.size());
  for (std::size_t i = 0; i < targets.size(); ++i)
    types[i] = types[i] == ObjectIndex::kNone ? outside : type_of_[types[i]];
}

template <class Count>
void SnapshotBuilder::each_reference(const Count& count) const {
  std::array<std::uint32_t, 64> types;
  std::size_t next = 0, end = 0;
  std::size_t target_block = 0;
  std::span<const base::Id> targets;
  const auto refill = [&] {
    if (targets.empty()) targets = targets_.block(target_block++);
    end = std::min(types.size(), targets.size());
    find_types(targets.first(end), types.data());
    targets = targets.subspan(end);
    next = 0;
  };
  for (std::size_t b = 0; b < objects_.blocks(); ++b)
    for (const Object& object : objects_.block(b))
      for (std::uint32_t i = 0; i < object.references; ++i) {
        if (next == end) refill();
        count(object.type, types[next++]);
      }
}

void SnapshotBuilder::keep(HeapSnapshot& snapshot, std::size_t from, std::size_t to,
                           std::uint64_t count) const {
  const bool outside = to == classes_.size();
  snapshot.references += count;
  if (outside) snapshot.outside += count;
  snapshot.pairs.push_back(
      {classes_[from].type, outside ? ReferenceFigures::kOutside : classes_[to].type, count});
}

void SnapshotBuilder::count_dense(HeapSnapshot& snapshot) const {
  const std::size_t width = classes_.size() + 1;
  std::vector<std::uint32_t> counts(classes_.size() * width);
  each_reference([&](std::uint32_t from, std::uint32_t to) { ++counts[from * width + to]; });
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0) keep(snapshot, i / width, i % width, counts[i]);
}

void SnapshotBuilder::count_sparse(HeapSnapshot& snapshot) const {
  tsl::robin_map<std::uint64_t, std::uint64_t, SeededHash> counts;
  each_reference(
      [&](std::uint32_t from, std::uint32_t to) { ++counts[(std::uint64_t{from} << 32) | to]; });
  for (const auto& [pair, count] : counts) keep(snapshot, pair >> 32, pair & 0xffffffffU, count);
}

void SnapshotBuilder::finish(HeapSnapshot& snapshot) {
  number_objects();
  if (classes_.size() <= kDense) count_dense(snapshot);
  else count_sparse(snapshot);
  for (const ClassFigures& figures : classes_) {
    snapshot.objects += figures.objects;
    snapshot.bytes += figures.bytes;
  }
  snapshot.classes = classes_;
  clear();
}

void SnapshotBuilder::clear() {
  for (const ClassFigures& figures : classes_) locals_[figures.type] = 0;
  classes_.clear();
  objects_.clear();
  targets_.clear();
  index_.clear();
}

}  // namespace polytrace::analysis
