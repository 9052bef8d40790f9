// SPDX-License-Identifier: Apache-2.0
// Ways through a heap: the shortest ones from a root, and those that weak references are part of,
// which keep nothing alive. Pure.
#pragma once

#include <span>
#include <vector>

#include "analysis/heap/graph/dominators.hpp"

namespace polytrace::analysis {

// The weak references of one object; HeapGraph::kNone asks for those of handles.
std::span<const HeapGraph::WeakReference> weak_references_of(const HeapGraph& graph,
                                                             HeapGraph::Index object);

// By object: no root reaches it, but where weak references count. Of a graph without roots, what is
// taken for one counts.
std::vector<bool> reached_only_weakly(const HeapGraph& graph, const Dominators& dominators);

struct PathStep {
  HeapGraph::Index object;
  event::RefStrength by;  // of the reference from the step before; unknown: it is strong
};
// A shortest way from a root, empty where there is none. With `weak`, weak references and handles
// lead on as well.
std::vector<PathStep> shortest_path(const HeapGraph& graph, HeapGraph::Index target, bool weak);

}  // namespace polytrace::analysis
