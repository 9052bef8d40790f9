// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/graph/snapshot.hpp"

#include <algorithm>
#include <thread>

#include "base/seeded_hash.hpp"

namespace polytrace::analysis {
namespace {

// References by the local classes of both ends: a square table where it is small.
class DenseCounts {
 public:
  static constexpr std::size_t kMostClasses = 1024;

  explicit DenseCounts(std::size_t classes) : width_(classes + 1), counts_(classes * width_) {}
  void add(std::uint32_t from, std::uint32_t to) { ++counts_[from * width_ + to]; }
  void merge(const DenseCounts& more) {
    std::ranges::transform(counts_, more.counts_, counts_.begin(), std::plus<>());
  }
  template <class Function>
  void each(const Function& function) const {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (counts_[i] != 0)
        function(static_cast<std::uint32_t>(i / width_), static_cast<std::uint32_t>(i % width_),
                 counts_[i]);
  }

 private:
  std::size_t width_;
  std::vector<std::uint32_t> counts_;  // a reference takes memory: there are fewer than 2^32
};

class SparseCounts {
 public:
  explicit SparseCounts(std::size_t) {}
  void add(std::uint32_t from, std::uint32_t to) { ++counts_[(std::uint64_t{from} << 32) | to]; }
  void merge(const SparseCounts& more) {
    for (const auto& [pair, count] : more.counts_) counts_[pair] += count;
  }
  template <class Function>
  void each(const Function& function) const {
    for (const auto& [pair, count] : counts_)
      function(static_cast<std::uint32_t>(pair >> 32), static_cast<std::uint32_t>(pair), count);
  }

 private:
  base::IdMap<std::uint64_t> counts_;
};

}  // namespace

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
  if (objects_.size() % BlockLog<Object>::kBlock == 0) first_targets_.push_back(targets_.size());
  std::uint32_t count = 0;
  for (const event::Ref& reference : references) {
    if (reference.target == 0) continue;
    targets_.push(reference.target);
    ++count;
  }
  objects_.push({address, place, count & 0x7fffffffU, size == 0});
  classes_[place].bytes += size;
}

template <class Types>
void SnapshotBuilder::set_types(Types& types) {
  for (std::size_t b = 0; b < objects_.blocks(); ++b)
    for (const Object& object : objects_.block(b)) {
      auto& type = types.at(object.address);
      if (type == Types::kNone || !object.may_continue) ++classes_[object.type].objects;
      type = static_cast<std::remove_reference_t<decltype(type)>>(object.type);
    }
}

template <class Types, class Counts>
void SnapshotBuilder::count_references(const Types& types, std::size_t first, std::size_t step,
                                       Counts& counts) const {
  const auto outside = static_cast<std::uint32_t>(classes_.size());
  for (std::size_t b = first; b < objects_.blocks(); b += step) {
    TypesInTurn target_types(types, targets_, first_targets_[b]);
    for (const Object& object : objects_.block(b))
      for (std::uint32_t i = 0; i < object.references; ++i) {
        const std::uint32_t to = target_types.next();
        counts.add(object.type, to == Types::kNone ? outside : to);
      }
  }
}

template <class Counts, class Types>
void SnapshotBuilder::count_on_all_cores(const Types& types, HeapSnapshot& snapshot) const {
  constexpr std::size_t kMostThreads = 8;
  const std::size_t threads = std::clamp<std::size_t>(
      std::min<std::size_t>(std::thread::hardware_concurrency(), objects_.blocks()), 1,
      kMostThreads);
  std::vector<Counts> counts(threads, Counts(classes_.size()));
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i)
    others.emplace_back([&, i] { count_references(types, i, threads, counts[i]); });
  count_references(types, 0, threads, counts[0]);
  for (std::size_t i = 1; i < threads; ++i) {
    others[i - 1].join();
    counts[0].merge(counts[i]);
  }
  counts[0].each([&](std::uint32_t from, std::uint32_t to, std::uint64_t count) {
    keep(snapshot, from, to, count);
  });
}

void SnapshotBuilder::keep(HeapSnapshot& snapshot, std::uint32_t from, std::uint32_t to,
                           std::uint64_t count) const {
  const bool outside = to == classes_.size();
  snapshot.references += count;
  if (outside) snapshot.outside += count;
  snapshot.pairs.push_back(
      {classes_[from].type, outside ? ReferenceFigures::kOutside : classes_[to].type, count});
}

template <class Types>
void SnapshotBuilder::count_all(Types& types, HeapSnapshot& snapshot) {
  set_types(types);
  if (classes_.size() <= DenseCounts::kMostClasses)
    count_on_all_cores<DenseCounts>(types, snapshot);
  else count_on_all_cores<SparseCounts>(types, snapshot);
}

void SnapshotBuilder::finish(HeapSnapshot& snapshot) {
  if (classes_.size() < ObjectTypes<std::uint16_t>::kNone) {
    types_.clear();
    count_all(types_, snapshot);
  } else {
    ObjectTypes<std::uint32_t> types;
    count_all(types, snapshot);
  }
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
  first_targets_.clear();
}

}  // namespace polytrace::analysis
