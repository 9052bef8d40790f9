// SPDX-License-Identifier: Apache-2.0
// The tables about finished heap snapshots. Their classes and pairs are sorted by class index.
#pragma once

#include "analysis/analysis.hpp"
#include "analysis/heap/graph/snapshot.hpp"

namespace polytrace::analysis {

// Classes that were met before their definition may turn out to be the same: merges their figures,
// sorted by class. Once all names are known, before anything else is asked.
void resolve(HeapSnapshot& snapshot, const Names& names);

// Null when the snapshot has no object of the class.
const ClassFigures* find_class(const HeapSnapshot& snapshot, std::uint32_t type);

// Bytes of the classes that have objects; by class index.
Figures class_figures(const HeapSnapshot& snapshot, const Names& names, const Selection& selection);

Table snapshot_table(std::span<const HeapSnapshot> snapshots, const TableOptions& options);
// With a limit, these two tell of the last snapshot only.
Table snapshot_classes(std::span<const HeapSnapshot> snapshots, const Names& names,
                       const Selection& selection, const TableOptions& options);
Table snapshot_references(std::span<const HeapSnapshot> snapshots, const Names& names,
                          const Selection& selection, const TableOptions& options);
// From the first snapshot to the last, with all between as a series. Empty below two snapshots.
Table snapshot_growth(std::span<const HeapSnapshot> snapshots, const Names& names,
                      const Selection& selection, const TableOptions& options);

}  // namespace polytrace::analysis
