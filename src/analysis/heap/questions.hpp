// SPDX-License-Identifier: Apache-2.0
// Questions to the graph of one heap snapshot, each answered by a table: docs/heap.md says what
// they mean. The view borrows; const use is thread-safe but for names, which number what is asked.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/heap/graph/dominators.hpp"
#include "analysis/heap/graph/fields.hpp"
#include "analysis/heap/graph/snapshot.hpp"
#include "analysis/heap/graph/stacks.hpp"
#include "analysis/table/table.hpp"
#include "analysis/table/words.hpp"

namespace polytrace::analysis {

struct TableOptions;

// REQUIRES: all that it refers to lives as long as the view.
struct HeapView {
  using Index = HeapGraph::Index;

  const HeapGraph& graph;
  const Dominators& dominators;
  const Names& names;
  ReferenceFields* fields = nullptr;  // null: nobody looks for them
  const ThreadStacks* stacks = nullptr;

  std::uint32_t type(Index object) const { return names.resolve_class(graph.type(object)); }
  // Of an object that is a class itself, where the trace tells its name: "class Shop".
  std::string class_name(Index object) const;
  // "Java frame of thread worker-14, in Shop.sell (Shop.java:4)", as far as it is told.
  std::string root_text(const HeapGraph::Root& root) const;
  // The root that makes the object one; that of a frame before others. Null if there is none.
  const HeapGraph::Root* root_of(Index object) const;
  // By which field one refers to the other, as far as it is known.
  std::string field_between(Index from, Index to) const;
  // An object by its id ("0x7f12"); the class itself ("class Shop"); or of the class of that name,
  // or that contains it, the object that retains most. kNone if there is none.
  Index find(std::string_view text) const;
  // The classes with objects whose names contain the text, those first that retain most.
  std::vector<std::string> classes_with(std::string_view text) const;
};

// By class index: what its objects retain together, none counted twice.
std::vector<std::uint64_t> retained_by_class(const HeapView& view);
// The same of groups of classes; `groups`: by class index.
std::vector<std::uint64_t> retained_by_group(const HeapView& view,
                                             std::span<const std::uint32_t> groups);

// Classes by what their objects retain: class, objects, bytes, retained, share.
Table class_table(const HeapView& view, const TableOptions& options);
// The objects that retain most: object, class, bytes, retained, share, held_by.
Table dominator_table(const HeapView& view, const TableOptions& options);
// The same of all, in that order; the rows come later, and `view` with what it refers to stays as
// long as the table.
Table dominator_table_later(std::shared_ptr<const HeapView> view);
// Who refers to objects of a class, by class.
Table class_referrers(const HeapView& view, std::string_view name, const TableOptions& options);
// Who refers to one object.
Table object_referrers(const HeapView& view, HeapView::Index object, const TableOptions& options);
// One of the shortest ways from a root to the object; where there is none, one that weak references
// are part of. At each step, by which field it goes on.
Table path_table(const HeapView& view, HeapView::Index object, const TableOptions& options);
// What no root reaches, by class, and what of it weak references reach.
Table unreachable_table(const HeapView& view, const TableOptions& options);
// An object or a class that retains a tenth of the heap or more.
struct HeapSuspect {
  std::string name;    // of the class; HeapView::find() knows it
  std::string object;  // its id, empty where it is about many
  std::uint64_t retained;
  std::string reason;
};
// Those that retain most first.
std::vector<HeapSuspect> heap_suspects(const HeapView& view);
// What probably leaks, and why one thinks so. `snapshots` are all of the trace.
Table suspect_table(const HeapView& view, std::span<const HeapSnapshot> snapshots,
                    const TableOptions& options);

}  // namespace polytrace::analysis
