// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "analysis/heap/graph/weak.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/slot.hpp"

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

constexpr std::string_view kClassItself = "class ";  // before the name of a class that is an object

// As HeapView::class_name() tells it.
Index find_class_itself(const HeapView& view, std::string_view text) {
  const NameTable& classes = view.names.classes();
  for (std::uint32_t type = 0; type < classes.size(); ++type)
    if (classes.name(type) == text.substr(kClassItself.size()))
      if (const Index found = view.graph.find(classes.id(type));
          found != HeapGraph::kNone && view.class_name(found) == text)
        return found;
  return HeapGraph::kNone;
}

// Nothing for a strong one.
Cell strength_cell(event::RefStrength strength) {
  if (strength == event::RefStrength::unknown) return {};
  return std::string(event::name(strength));
}

constexpr const char* kField = "field";

// Of a trace that has no names of fields.
void drop_unnamed_fields(Table& table, const HeapView& view) {
  const auto column = std::ranges::find(table.columns, kField, &ColumnInfo::key);
  const auto at = column - table.columns.begin();
  const auto named = [&](const std::vector<Cell>& row) {
    return row.begin()[at] != Cell{std::string()};
  };
  const bool may_come = view.fields != nullptr && view.fields->wants_pass();
  if (may_come || std::ranges::any_of(table.rows, named)) return;
  table.columns.erase(column);
  for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + at);
}

void note_roots(Table& table, const HeapView& view) {
  if (!view.dominators.roots_told())
    table.notes.push_back("The snapshot has no roots: what nothing refers to was taken for one.");
}

Table no_dominators(const HeapView& view) {
  Table table = make_table("heap_dominators", "heap", "Objects that retain most",
                           {{"object", "Object", Unit::none},
                            {"class", "Class", Unit::none},
                            {"bytes", "Bytes", Unit::bytes},
                            {"retained", "Retained", Unit::bytes},
                            {"share", "Share", Unit::percent},
                            {"held_by", "Held by", Unit::none}});
  note_roots(table, view);
  return table;
}

std::vector<Index> reached_objects(const HeapView& view) {
  std::vector<Index> objects;
  objects.reserve(view.dominators.reached_objects());
  for (Index object = 0; object < view.graph.objects(); ++object)
    if (view.dominators.reached(object)) objects.push_back(object);
  return objects;
}

// Those that retain most come first; no more than the limit, if there is one.
void keep_heaviest(const HeapView& view, std::vector<Index>& objects, std::uint64_t limit) {
  const auto retains_more = [&](Index a, Index b) {
    const auto ra = view.dominators.retained(a);
    const auto rb = view.dominators.retained(b);
    return ra != rb ? ra > rb : a < b;
  };
  if (limit == 0 || limit >= objects.size()) {
    std::ranges::sort(objects, retains_more);
    return;
  }
  const auto end = objects.begin() + static_cast<std::ptrdiff_t>(limit);
  std::ranges::partial_sort(objects, end, retains_more);
  objects.erase(end, objects.end());
}

std::vector<Cell> dominator_row(const HeapView& view, Index object) {
  const Index above = view.dominators.of_object(object);
  return {address(view.graph.id(object)),
          view.class_name(object),
          view.graph.size(object),
          view.dominators.retained(object),
          percent(view.dominators.retained(object), view.dominators.reached_bytes()),
          above == Dominators::kRoots
              ? std::string("(several, or a root)")
              : fmt::format("{} {}", view.class_name(above), address(view.graph.id(above)))};
}

}  // namespace

std::string HeapView::class_name(Index object) const {
  std::string name = names.class_name(graph.type(object));
  if (name != "java.lang.Class") return name;
  const std::uint32_t own = names.classes().index(graph.id(object));
  if (!names.classes().named(own)) return name;
  return fmt::format("{}{}", kClassItself, names.classes().name(own));
}

std::string HeapView::root_text(const HeapGraph::Root& root) const {
  const std::string& kind = graph.root_kinds()[root.kind];
  const std::string owner = stacks == nullptr ? "" : stacks->owner_text(root.owner, names);
  if (owner.empty()) return kind;
  return owner.starts_with(kind) ? owner : fmt::format("{} of {}", kind, owner);
}

const HeapGraph::Root* HeapView::root_of(Index object) const {
  const HeapGraph::Root* found = nullptr;
  for (const HeapGraph::Root& root : graph.roots()) {
    if (root.object != object) continue;
    if (root.owner.frame != base::kNoId) return &root;
    if (found == nullptr) found = &root;
  }
  return found;
}

std::string HeapView::field_between(Index from, Index to) const {
  return fields == nullptr ? "" : fields->between(graph.id(from), graph.id(to));
}

std::vector<std::string> HeapView::classes_with(std::string_view text) const {
  std::vector<bool> has_objects(names.classes().size());
  for (Index object = 0; object < graph.objects(); ++object) has_objects[type(object)] = true;
  const std::vector<std::uint64_t> retained = retained_by_class(*this);
  std::map<std::string, std::uint64_t> found;
  for (std::uint32_t type = 0; type < has_objects.size(); ++type) {
    if (!has_objects[type]) continue;
    std::string name = names.class_name(type);
    if (name.find(text) != name.npos) found[std::move(name)] += retained[type];
  }
  std::vector<std::string> out;
  for (const auto& [name, bytes] : found) out.push_back(name);
  std::ranges::stable_sort(out, std::greater<>(), [&](const auto& name) { return found[name]; });
  return out;
}

Index HeapView::find(std::string_view text) const {
  if (const auto id = id_of(text)) return graph.find(*id);
  if (text.starts_with(kClassItself))
    if (const Index found = find_class_itself(*this, text); found != HeapGraph::kNone) return found;
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
  std::vector<std::uint32_t> groups(view.names.classes().size());
  std::iota(groups.begin(), groups.end(), 0U);
  return retained_by_group(view, groups);
}

std::vector<std::uint64_t> retained_by_group(const HeapView& view,
                                             std::span<const std::uint32_t> groups) {
  std::vector<std::uint64_t> sums(groups.size());
  std::vector<std::uint32_t> open(sums.size());
  const DominatorTree tree(view.dominators, view.graph.objects());
  walk(
      view.dominators, tree,
      [&](Index object) {
        const std::uint32_t group = groups[view.type(object)];
        if (open[group]++ == 0) sums[group] += view.dominators.retained(object);
      },
      [&](Index object) { --open[groups[view.type(object)]]; });
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
    ClassFigures& sum = base::slot(figures, view.type(object));
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
  Table table = no_dominators(view);
  std::vector<Index> objects = reached_objects(view);
  const std::size_t all = objects.size();
  keep_heaviest(view, objects, options.limit);
  for (const Index object : objects) table.rows.push_back(dominator_row(view, object));
  table.rows_left_out = all - objects.size();
  sort_and_limit(table, options, "");
  return table;
}

Table dominator_table_later(std::shared_ptr<const HeapView> view) {
  Table table = no_dominators(*view);
  std::vector<Index> objects = reached_objects(*view);
  keep_heaviest(*view, objects, 0);
  table.later.count = objects.size();
  table.later.make = [view = std::move(view), objects = std::move(objects)](std::uint64_t row) {
    return dominator_row(*view, objects[row]);
  };
  return table;
}

Table class_referrers(const HeapView& view, std::string_view name, const TableOptions& options) {
  Table table = make_table("heap_referrers", "heap", fmt::format("Who refers to {}", name),
                           {{"class", "Class", Unit::none},
                            {"strength", "Strength", Unit::none},
                            {"references", "References", Unit::count},
                            {"from_objects", "From objects", Unit::count}});
  struct Sum {
    std::uint64_t references = 0;
    std::uint64_t from = 0;
  };
  std::vector<bool> wanted(view.names.classes().size());
  for (std::uint32_t type = 0; type < wanted.size(); ++type)
    wanted[type] = view.names.class_name(type) == name;
  std::map<std::pair<std::uint32_t, event::RefStrength>, Sum> sums;
  for (Index object = 0; object < view.graph.objects(); ++object) {
    Sum* sum = nullptr;
    for (const Index target : view.graph.references(object)) {
      if (!wanted[view.type(target)]) continue;
      if (sum == nullptr) ++(sum = &sums[{view.type(object), {}}])->from;
      ++sum->references;
    }
  }
  for (const HeapGraph::WeakReference& weak : view.graph.weak_references()) {
    if (weak.from == HeapGraph::kNone || !wanted[view.type(weak.to)]) continue;
    Sum& sum = sums[{view.type(weak.from), weak.strength}];  // one of each object
    ++sum.references, ++sum.from;
  }
  for (const auto& [key, sum] : sums)
    table.rows.push_back(
        {view.names.class_name(key.first), strength_cell(key.second), sum.references, sum.from});
  std::map<std::uint32_t, std::uint64_t> roots;  // by kind
  for (const HeapGraph::Root& root : view.graph.roots())
    if (wanted[view.type(root.object)]) ++roots[root.kind];
  for (const auto& [kind, count] : roots)
    table.rows.push_back(
        {fmt::format("(root: {})", view.graph.root_kinds()[kind]), Cell{}, count, Cell{}});
  if (table.rows.empty()) table.notes.push_back("Nothing refers to any of them.");
  sort_and_limit(table, options, "references");
  return table;
}

Table object_referrers(const HeapView& view, Index object, const TableOptions& options) {
  Table table = make_table(
      "heap_referrers", "heap",
      fmt::format("Who refers to {} {}", view.class_name(object), address(view.graph.id(object))),
      {{"object", "Object", Unit::none},
       {"class", "Class", Unit::none},
       {"strength", "Strength", Unit::none},
       {"references", "References", Unit::count},
       {"retained", "Retained", Unit::bytes}});
  for (Index other = 0; other < view.graph.objects(); ++other) {
    const auto count =
        static_cast<std::uint64_t>(std::ranges::count(view.graph.references(other), object));
    if (count != 0)
      table.rows.push_back({address(view.graph.id(other)), view.class_name(other), Cell{}, count,
                            view.dominators.retained(other)});
  }
  for (const HeapGraph::WeakReference& weak : view.graph.weak_references()) {
    if (weak.to != object) continue;
    const bool handle = weak.from == HeapGraph::kNone;
    table.rows.push_back({handle ? Cell{} : address(view.graph.id(weak.from)),
                          handle ? "(handle)" : view.class_name(weak.from),
                          strength_cell(weak.strength), std::uint64_t{1},
                          handle ? Cell{} : Cell{view.dominators.retained(weak.from)}});
  }
  for (const HeapGraph::Root& root : view.graph.roots())
    if (root.object == object)
      table.rows.push_back({Cell{}, fmt::format("(root: {})", view.root_text(root)), Cell{},
                            std::uint64_t{1}, Cell{}});
  sort_and_limit(table, options, "retained");
  return table;
}

Table path_table(const HeapView& view, Index object, const TableOptions& options) {
  Table table = make_table(
      "heap_path", "heap",
      fmt::format("From a root to {} {}", view.class_name(object), address(view.graph.id(object))),
      {{"step", "Step", Unit::count},
       {"object", "Object", Unit::none},
       {"class", "Class", Unit::none},
       {kField, "By field", Unit::none},
       {"bytes", "Bytes", Unit::bytes},
       {"retained", "Retained", Unit::bytes},
       {"strength", "Strength", Unit::none},
       {"root", "Root", Unit::none}});
  std::vector<PathStep> path = shortest_path(view.graph, object, false);
  const bool weak = path.empty() && view.dominators.roots_told();
  if (weak) path = shortest_path(view.graph, object, true);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Index at = path[i].object;
    std::string kinds;
    if (i == 0) {
      const HeapGraph::Root* const root = view.root_of(at);
      kinds = root == nullptr ? "handle" : view.root_text(*root);
    }
    std::string field = i + 1 == path.size() ? "" : view.field_between(at, path[i + 1].object);
    table.rows.push_back({std::uint64_t{i}, address(view.graph.id(at)), view.class_name(at),
                          std::move(field), view.graph.size(at), view.dominators.retained(at),
                          strength_cell(path[i].by), std::move(kinds)});
  }
  drop_unnamed_fields(table, view);
  if (!view.dominators.roots_told()) table.notes.push_back("The snapshot has no roots.");
  else if (path.empty()) table.notes.push_back("No root reaches it.");
  else if (weak) table.notes.push_back("Nothing keeps it alive: this way has weak references.");
  sort_and_limit(table, options, "");
  return table;
}

Table unreachable_table(const HeapView& view, const TableOptions& options) {
  Table table = make_table("heap_unreachable", "heap", "What no root reaches",
                           {{"class", "Class", Unit::none},
                            {"objects", "Objects", Unit::count},
                            {"bytes", "Bytes", Unit::bytes},
                            {"weak_objects", "Only weakly", Unit::count},
                            {"weak_bytes", "Bytes", Unit::bytes}});
  std::vector<ClassFigures> all, weakly;
  const std::vector<bool> weak = reached_only_weakly(view.graph, view.dominators);
  for (Index object = 0; object < view.graph.objects(); ++object) {
    if (view.dominators.reached(object)) continue;
    const std::uint32_t type = view.type(object);
    base::slot(weakly, type);
    for (ClassFigures* const sum :
         {&base::slot(all, type), weak[object] ? &weakly[type] : nullptr}) {
      if (sum == nullptr) continue;
      ++sum->objects;
      sum->bytes += view.graph.size(object);
    }
  }
  for (std::uint32_t type = 0; type < all.size(); ++type)
    if (all[type].objects != 0)
      table.rows.push_back({view.names.class_name(type), all[type].objects, all[type].bytes,
                            weakly[type].objects, weakly[type].bytes});
  note_roots(table, view);
  sort_and_limit(table, options, "bytes");
  return table;
}

}  // namespace polytrace::analysis
