// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/graph/weak.hpp"

#include <algorithm>

namespace polytrace::analysis {

namespace {

using Index = HeapGraph::Index;
using Strength = event::RefStrength;
using Weak = HeapGraph::WeakReference;

}  // namespace

std::span<const Weak> weak_references_of(const HeapGraph& graph, Index object) {
  const auto found = std::ranges::equal_range(graph.weak_references(), object, {}, &Weak::from);
  return {found.begin(), found.end()};
}

std::vector<bool> reached_only_weakly(const HeapGraph& graph, const Dominators& dominators) {
  std::vector<bool> seen(graph.objects());
  std::vector<Index> waiting;
  const auto meet = [&](Index object) {
    if (dominators.reached(object) || seen[object]) return;
    seen[object] = true;
    waiting.push_back(object);
  };
  for (const Weak& weak : graph.weak_references())
    if (weak.from == HeapGraph::kNone || dominators.reached(weak.from)) meet(weak.to);
  while (!waiting.empty()) {
    const Index object = waiting.back();
    waiting.pop_back();
    for (const Index target : graph.references(object)) meet(target);
    for (const Weak& weak : weak_references_of(graph, object)) meet(weak.to);
  }
  return seen;
}

// In a walk that goes everywhere before it goes further.
std::vector<PathStep> shortest_path(const HeapGraph& graph, Index target, bool weak) {
  std::vector<Index> from(graph.objects(), HeapGraph::kNone);
  std::vector<Index> waiting;
  const auto meet = [&](Index object, Index before) {
    if (from[object] != HeapGraph::kNone) return;
    from[object] = before;  // its own, for a root
    waiting.push_back(object);
  };
  for (const HeapGraph::Root& root : graph.roots()) meet(root.object, root.object);
  if (weak)
    for (const Weak& handle : weak_references_of(graph, HeapGraph::kNone))
      meet(handle.to, handle.to);
  for (std::size_t i = 0; i < waiting.size() && from[target] == HeapGraph::kNone; ++i) {
    for (const Index next : graph.references(waiting[i])) meet(next, waiting[i]);
    if (!weak) continue;
    for (const Weak& one : weak_references_of(graph, waiting[i])) meet(one.to, waiting[i]);
  }
  std::vector<PathStep> path;
  if (from[target] == HeapGraph::kNone) return path;
  for (Index at = target;; at = from[at]) {
    const bool first = from[at] == at;
    const Index before = first ? HeapGraph::kNone : from[at];
    PathStep step{at, Strength::unknown};
    const bool by_strong =
        first
            ? std::ranges::find(graph.roots(), at, &HeapGraph::Root::object) != graph.roots().end()
            : std::ranges::find(graph.references(before), at) != graph.references(before).end();
    if (!by_strong)
      for (const Weak& one : weak_references_of(graph, before))
        if (one.to == at) step.by = one.strength;
    path.push_back(step);
    if (first) break;
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace polytrace::analysis
