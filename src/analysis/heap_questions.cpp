// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap_questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "analysis/rows.hpp"
#include "analysis/selected.hpp"

namespace polytrace::analysis {
namespace {

using Index = HeapGraph::Index;
using base::Id;

std::string address(Id id) { return fmt::format("{:#x}", id); }

std::optional<Id> id_of(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  Id id = 0;
  const auto [end, fault] = std::from_chars(text.data() + 2, text.data() + text.size(), id, 16);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return id;
}

void note_roots(Table& table, const HeapView& view) {
  if (!view.dominators.roots_told())
    table.notes.push_back("The snapshot tells no roots: what nothing refers to was taken for one.");
}

}  // namespace

std::string HeapView::class_name(Index object) const {
  std::string name = names.class_name(graph.type(object));
  if (name != "java.lang.Class") return name;
  const std::uint32_t own = names.classes().index(graph.id(object));
  return names.classes().named(own) ? fmt::format("class {}", names.classes().name(own)) : name;
}

Index HeapView::find(std::string_view text) const {
  if (const auto id = id_of(text)) return graph.find(*id);
  Index best = HeapGraph::kNone;
  bool best_is_exact = false;
  std::map<std::uint32_t, int> fits;  // by class: 2 = its name, 1 = a part of it
  for (Index object = 0; object < graph.objects(); ++object) {
    const auto [known, fresh] = fits.try_emplace(graph.type(object), 0);
    if (fresh) {
      const std::string name = names.class_name(graph.type(object));
      known->second = name == text ? 2 : name.find(text) != name.npos ? 1 : 0;
    }
    const bool exact = known->second == 2;
    if (known->second == 0 || (best_is_exact && !exact)) continue;
    if (best == HeapGraph::kNone || exact > best_is_exact ||
        dominators.retained(object) > dominators.retained(best))
      best = object, best_is_exact = exact;
  }
  return best;
}

std::vector<std::uint64_t> retained_by_class(const HeapView& view) {
  std::vector<std::uint64_t> sums(view.names.classes().size());
  std::vector<std::uint32_t> open(sums.size());
  const DominatorTree tree(view.dominators, view.graph.objects());
  walk(
      view.dominators, tree,
      [&](Index object) {
        const std::uint32_t type = view.type(object);
        if (slot(open, type)++ == 0) slot(sums, type) += view.dominators.retained(object);
      },
      [&](Index object) { --open[view.type(object)]; });
  return sums;
}

Table class_table(const HeapView& view, const TableOptions& options) {
  Table table = make_table("heap_classes", "heap", "Heap by class",
                           {{"class", "Class", Unit::none},
                            {"objects", "Objects", Unit::count},
                            {"bytes", "Bytes", Unit::bytes},
                            {"retained", "Retained", Unit::bytes},
                            {"share", "Share", Unit::percent}});
  const std::vector<std::uint64_t> retained = retained_by_class(view);
  std::vector<ClassFigures> figures;
  for (Index object = 0; object < view.graph.objects(); ++object) {
    ClassFigures& sum = slot(figures, view.type(object));
    ++sum.objects;
    sum.bytes += view.graph.size(object);
  }
  for (std::uint32_t type = 0; type < figures.size(); ++type)
    if (figures[type].objects != 0)
      table.rows.push_back({view.names.class_name(type), figures[type].objects, figures[type].bytes,
                            retained[type],
                            percent(retained[type], view.dominators.reached_bytes())});
  note_roots(table, view);
  sort_and_limit(table, options, "retained");
  return table;
}

Table dominator_table(const HeapView& view, const TableOptions& options) {
  Table table = make_table("heap_dominators", "heap", "Objects that retain most",
                           {{"object", "Object", Unit::none},
                            {"class", "Class", Unit::none},
                            {"bytes", "Bytes", Unit::bytes},
                            {"retained", "Retained", Unit::bytes},
                            {"share", "Share", Unit::percent},
                            {"held_by", "Held by", Unit::none}});
  std::vector<Index> objects;
  for (Index object = 0; object < view.graph.objects(); ++object)
    if (view.dominators.reached(object)) objects.push_back(object);
  const std::size_t most =
      options.limit == 0 ? objects.size() : std::min<std::size_t>(options.limit, objects.size());
  std::ranges::partial_sort(objects, objects.begin() + static_cast<std::ptrdiff_t>(most),
                            [&](Index a, Index b) {
                              const auto ra = view.dominators.retained(a);
                              const auto rb = view.dominators.retained(b);
                              return ra != rb ? ra > rb : a < b;
                            });
  for (std::size_t i = 0; i < most; ++i) {
    const Index object = objects[i];
    const Index above = view.dominators.of_object(object);
    table.rows.push_back(
        {address(view.graph.id(object)), view.class_name(object), view.graph.size(object),
         view.dominators.retained(object),
         percent(view.dominators.retained(object), view.dominators.reached_bytes()),
         above == Dominators::kRoots
             ? std::string("(several, or a root)")
             : fmt::format("{} {}", view.class_name(above), address(view.graph.id(above)))});
  }
  table.rows_left_out = objects.size() - most;
  note_roots(table, view);
  sort_and_limit(table, options, "");
  return table;
}

Table class_referrers(const HeapView& view, std::string_view name, const TableOptions& options) {
  Table table = make_table("heap_referrers", "heap", fmt::format("Who refers to {}", name),
                           {{"class", "Class", Unit::none},
                            {"references", "References", Unit::count},
                            {"from_objects", "From objects", Unit::count}});
  struct Sum {
    std::uint64_t references = 0;
    std::uint64_t from = 0;
  };
  std::vector<bool> wanted(view.names.classes().size());
  for (std::uint32_t type = 0; type < wanted.size(); ++type)
    wanted[type] = view.names.class_name(type) == name;
  std::map<std::uint32_t, Sum> sums;
  for (Index object = 0; object < view.graph.objects(); ++object) {
    Sum* sum = nullptr;
    for (const Index target : view.graph.references(object)) {
      if (!wanted[view.type(target)]) continue;
      if (sum == nullptr) ++(sum = &sums[view.type(object)])->from;
      ++sum->references;
    }
  }
  for (const auto& [type, sum] : sums)
    table.rows.push_back({view.names.class_name(type), sum.references, sum.from});
  sort_and_limit(table, options, "references");
  return table;
}

Table object_referrers(const HeapView& view, Index object, const TableOptions& options) {
  Table table = make_table(
      "heap_referrers", "heap",
      fmt::format("Who refers to {} {}", view.class_name(object), address(view.graph.id(object))),
      {{"object", "Object", Unit::none},
       {"class", "Class", Unit::none},
       {"references", "References", Unit::count},
       {"retained", "Retained", Unit::bytes}});
  for (Index other = 0; other < view.graph.objects(); ++other) {
    const auto count =
        static_cast<std::uint64_t>(std::ranges::count(view.graph.references(other), object));
    if (count != 0)
      table.rows.push_back({address(view.graph.id(other)), view.class_name(other), count,
                            view.dominators.retained(other)});
  }
  for (const HeapGraph::Root& root : view.graph.roots())
    if (root.object == object)
      table.rows.push_back({Cell{}, fmt::format("(root: {})", view.graph.root_kinds()[root.kind]),
                            std::uint64_t{1}, Cell{}});
  sort_and_limit(table, options, "retained");
  return table;
}

namespace {

// From a root to `target`, in a walk that goes everywhere before it goes further; empty if nowhere.
std::vector<Index> shortest_path(const HeapGraph& graph, Index target) {
  std::vector<Index> from(graph.objects(), HeapGraph::kNone);
  std::vector<Index> waiting;
  const auto meet = [&](Index object, Index before) {
    if (from[object] != HeapGraph::kNone) return;
    from[object] = before;  // its own, for a root
    waiting.push_back(object);
  };
  for (const HeapGraph::Root& root : graph.roots()) meet(root.object, root.object);
  for (std::size_t i = 0; i < waiting.size() && from[target] == HeapGraph::kNone; ++i)
    for (const Index next : graph.references(waiting[i])) meet(next, waiting[i]);
  std::vector<Index> path;
  if (from[target] == HeapGraph::kNone) return path;
  for (Index at = target;; at = from[at]) {
    path.push_back(at);
    if (from[at] == at) break;
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace

Table path_table(const HeapView& view, Index object, const TableOptions& options) {
  Table table = make_table(
      "heap_path", "heap",
      fmt::format("From a root to {} {}", view.class_name(object), address(view.graph.id(object))),
      {{"step", "Step", Unit::count},
       {"object", "Object", Unit::none},
       {"class", "Class", Unit::none},
       {"bytes", "Bytes", Unit::bytes},
       {"retained", "Retained", Unit::bytes},
       {"root", "Root", Unit::none}});
  const std::vector<Index> path = shortest_path(view.graph, object);
  for (std::size_t i = 0; i < path.size(); ++i) {
    std::string kinds;
    for (const HeapGraph::Root& root : view.graph.roots())
      if (i == 0 && root.object == path[i] && kinds.empty())
        kinds = view.graph.root_kinds()[root.kind];
    table.rows.push_back({std::uint64_t{i}, address(view.graph.id(path[i])),
                          view.class_name(path[i]), view.graph.size(path[i]),
                          view.dominators.retained(path[i]), std::move(kinds)});
  }
  if (path.empty())
    table.notes.push_back(view.dominators.roots_told() ? "No root reaches it."
                                                       : "The snapshot tells no roots.");
  sort_and_limit(table, options, "");
  return table;
}

Table unreachable_table(const HeapView& view, const TableOptions& options) {
  Table table = make_table("heap_unreachable", "heap", "What no root reaches",
                           {{"class", "Class", Unit::none},
                            {"objects", "Objects", Unit::count},
                            {"bytes", "Bytes", Unit::bytes}});
  std::vector<ClassFigures> figures;
  for (Index object = 0; object < view.graph.objects(); ++object) {
    if (view.dominators.reached(object)) continue;
    ClassFigures& sum = slot(figures, view.type(object));
    ++sum.objects;
    sum.bytes += view.graph.size(object);
  }
  for (std::uint32_t type = 0; type < figures.size(); ++type)
    if (figures[type].objects != 0)
      table.rows.push_back(
          {view.names.class_name(type), figures[type].objects, figures[type].bytes});
  note_roots(table, view);
  sort_and_limit(table, options, "bytes");
  return table;
}

}  // namespace polytrace::analysis
