// SPDX-License-Identifier: Apache-2.0
// Heap snapshots: what lived, what grew, and who refers to what.
// Tables: heap_snapshots, heap_classes, heap_growth, heap_references.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

enum class HeapSuspects : std::uint8_t { none, of_last_snapshot };

// A snapshot is selected by its start; all of it counts then. Suspects take the memory of a graph
// (heap/graph.hpp), so large snapshots have none here.
std::unique_ptr<Analysis> make_heap(const Selection& selection,
                                    HeapSuspects suspects = HeapSuspects::none);

}  // namespace polytrace::analysis
