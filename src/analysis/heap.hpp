// SPDX-License-Identifier: Apache-2.0
// Heap snapshots: what lived, what grew, and who refers to what.
// Tables: heap_snapshots, heap_classes, heap_growth, heap_references.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

// A snapshot is selected by its start; all of it counts then.
std::unique_ptr<Analysis> make_heap(const Selection& selection);

}  // namespace polytrace::analysis
