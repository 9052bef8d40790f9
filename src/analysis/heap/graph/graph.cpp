// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/graph/graph.hpp"

#include <algorithm>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace polytrace::analysis {
namespace {

// Of a log that is not needed any more.
template <class T>
std::vector<T> flat(BlockLog<T>& log) {
  std::vector<T> out;
  out.reserve(log.size());
  for (std::size_t i = 0; i < log.blocks(); ++i)
    out.insert(out.end(), log.block(i).begin(), log.block(i).end());
  log = {};
  return out;
}

// To the system: what comes next does not fit into the pieces that were freed.
void give_back_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace

HeapGraph::Index HeapGraph::find(base::Id id) const {
  const auto found = std::ranges::find(ids_, id);
  return found == ids_.end() ? kNone : static_cast<Index>(found - ids_.begin());
}

std::uint64_t HeapGraph::large_size(Index object) const {
  return std::ranges::lower_bound(large_sizes_, object, {}, &std::pair<Index, std::uint64_t>::first)
      ->second;
}

std::uint64_t HeapGraph::memory() const {
  const auto bytes = [](const auto& items) { return items.capacity() * sizeof(items[0]); };
  return bytes(ids_) + bytes(types_) + bytes(sizes_) + bytes(large_sizes_) + bytes(firsts_) +
         bytes(long_firsts_) + bytes(references_) + bytes(weak_) + bytes(roots_);
}

void HeapGraphBuilder::add(base::Id id, std::uint32_t type, std::uint64_t size,
                           std::span<const event::Ref> references) {
  Index object = numbers_.at(id);
  if (object == HeapGraph::kNone) object = make(id, type);
  if (object == HeapGraph::kNone) return static_cast<void>(++graph_.left_out_);
  grow(object, size);
  std::uint32_t count = 0;
  for (const event::Ref& reference : references) {
    if (reference.target == 0) continue;
    targets_.push(reference.target);
    ++count;
  }
  if (count != 0) parts_.push({object, count});
}

HeapGraph::Index HeapGraphBuilder::make(base::Id id, std::uint32_t type) {
  constexpr std::size_t kMost = HeapGraph::kNone - 1;
  if (sizes_.size() >= kMost) return HeapGraph::kNone;
  const auto object = static_cast<Index>(sizes_.size());
  numbers_.at(id) = object;
  ids_.push(id);
  types_.push(type);
  sizes_.push_back(0);
  return object;
}

void HeapGraphBuilder::grow(Index object, std::uint64_t size) {
  graph_.bytes_ += size;
  std::uint32_t& had = sizes_[object];
  if (had != HeapGraph::kLarge && size < HeapGraph::kLarge - had) {
    had += static_cast<std::uint32_t>(size);
    return;
  }
  if (had != HeapGraph::kLarge) large_sizes_[object] = had;
  large_sizes_[object] += size;
  had = HeapGraph::kLarge;
}

void HeapGraphBuilder::add_weak(base::Id from, base::Id target, event::RefStrength strength) {
  weak_.push_back({from, target, strength});
}

void HeapGraphBuilder::add_root(base::Id object, std::string_view kind, RootOwner owner) {
  auto known = root_kinds_.find(kind);
  if (known == root_kinds_.end()) {
    known = root_kinds_.emplace(kind, static_cast<std::uint32_t>(root_kinds_.size())).first;
    graph_.root_kinds_.emplace_back(kind);
  }
  roots_.push_back({object, known->second, owner});
}

// In place: all ids at once are the most memory that there ever is.
void HeapGraphBuilder::resolve(HeapGraph& graph) {
  TypesInTurn numbers(numbers_, targets_, 0);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Index number = numbers.next();
    targets_[i] = number;
    graph.outside_ += number == HeapGraph::kNone ? 1U : 0U;
  }
}

// The number of references of each object, then the sums of those before it.
template <class Offset>
void HeapGraphBuilder::count_references(std::vector<Offset>& firsts) const {
  firsts.assign(sizes_.size() + 1, 0);
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part part = parts_[i];
    for (std::uint32_t n = 0; n < part.references; ++n)
      firsts[part.object] += target(at++) != HeapGraph::kNone;
  }
  Offset sum = 0;
  for (Offset& first : firsts) sum += std::exchange(first, sum);
}

void HeapGraphBuilder::place_references(HeapGraph& graph) const {
  graph.references_.resize(graph.first_reference(sizes_.size()));
  std::vector<std::uint32_t> placed(sizes_.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part part = parts_[i];
    Index* const to = graph.references_.data() + graph.first_reference(part.object);
    std::uint32_t& count = placed[part.object];
    for (std::uint32_t n = 0; n < part.references; ++n, ++at)
      if (target(at) != HeapGraph::kNone) to[count++] = target(at);
  }
}

void HeapGraphBuilder::resolve_roots(HeapGraph& graph) const {
  graph.roots_.reserve(roots_.size());
  for (const Root& root : roots_) {
    const Index object = *numbers_.find(root.object);
    if (object == HeapGraph::kNone) ++graph.lost_roots_;
    else graph.roots_.push_back({object, root.kind, root.owner});
  }
}

void HeapGraphBuilder::resolve_weak(HeapGraph& graph) const {
  graph.weak_.reserve(weak_.size());
  for (const Weak& weak : weak_) {
    const Index from = weak.from == base::kNoId ? HeapGraph::kNone : *numbers_.find(weak.from);
    const Index to = *numbers_.find(weak.target);
    if (to == HeapGraph::kNone) ++graph.outside_;
    else graph.weak_.push_back({from, to, weak.strength});
  }
  std::ranges::stable_sort(graph.weak_, {}, &HeapGraph::WeakReference::from);
}

HeapGraph HeapGraphBuilder::finish() {
  constexpr std::uint64_t kMost = ~std::uint32_t{0};
  HeapGraph graph = std::exchange(graph_, {});
  resolve(graph);
  resolve_roots(graph);
  resolve_weak(graph);
  numbers_ = {};
  give_back_memory();
  if (targets_.size() < kMost) count_references(graph.firsts_);
  else count_references(graph.long_firsts_);
  place_references(graph);
  targets_ = {};
  parts_ = {};
  give_back_memory();
  graph.ids_ = flat(ids_);
  graph.types_ = flat(types_);
  graph.sizes_ = std::exchange(sizes_, {});
  graph.sizes_.shrink_to_fit();
  graph.large_sizes_.assign(large_sizes_.begin(), large_sizes_.end());
  *this = {};
  return graph;
}

}  // namespace polytrace::analysis
