// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/heap/growth.hpp"
#include "analysis/heap/questions.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

using Index = HeapGraph::Index;

// What is worth a word, as a part of the whole.
constexpr double kLargeShare = 10;  // percent
constexpr double kMainChild = 50;   // percent: then that child is the one to blame
constexpr std::size_t kMostHolders = 4;

// Objects of one class that one object, or nothing, dominates directly.
struct Group {
  std::uint32_t type = 0;
  std::uint64_t objects = 0;
  std::uint64_t retained = 0;
  std::uint64_t largest = 0;  // what one of them retains
};

class SuspectFinder {
 public:
  explicit SuspectFinder(const HeapView& view)
      : view_(view), tree_(view.dominators, view.graph.objects()) {}

  std::vector<HeapSuspect> find() {
    add_objects();
    add_groups();
    std::ranges::stable_sort(found_, std::greater<>(), &HeapSuspect::retained);
    return std::move(found_);
  }

 private:
  // Objects that hold much, of which no single one holds the most again.
  void add_objects() {
    const auto enter = [&](Index object) {
      if (share_of(view_.dominators.retained(object)) >= kLargeShare && accumulates(object))
        add_object(object);
    };
    walk(view_.dominators, tree_, enter, [](Index) {});
  }
  // Many of one class, each held by several or by a root.
  void add_groups() {
    const Group group = largest_group(Dominators::kRoots);
    constexpr std::uint64_t kMany = 10;
    if (group.objects < kMany || share_of(group.retained) < kLargeShare) return;
    if (share(group.largest, group.retained) >= kMainChild) return;  // told by itself
    found_.push_back({view_.names.class_name(group.type), "", group.retained,
                      fmt::format("{} that nothing single holds",
                                  base::count_text(group.objects, "object", "objects"))});
  }

  double share_of(std::uint64_t bytes) const {
    return share(bytes, view_.dominators.reached_bytes());
  }
  bool accumulates(Index object) const {
    const std::uint64_t all = view_.dominators.retained(object);
    for (Index child = tree_.first(object); child != DominatorTree::kNone;
         child = tree_.next(child))
      if (share(view_.dominators.retained(child), all) >= kMainChild) return false;
    return true;
  }
  Group largest_group(Index above) const {
    std::map<std::uint32_t, Group> groups;
    for (Index child = tree_.first(above); child != DominatorTree::kNone;
         child = tree_.next(child)) {
      Group& group = groups[view_.type(child)];
      group.type = view_.type(child);
      ++group.objects;
      group.retained += view_.dominators.retained(child);
      group.largest = std::max(group.largest, view_.dominators.retained(child));
    }
    Group best;
    for (const auto& [type, group] : groups)
      if (group.retained > best.retained) best = group;
    return best;
  }
  // What dominates it, from the outside in: the field that refers to the next where that is known,
  // else the class.
  std::string holders(Index object) const {
    std::vector<std::string> names;
    Index at = view_.dominators.of_object(object);
    for (Index next = object; at != Dominators::kRoots && names.size() < kMostHolders;
         next = at, at = view_.dominators.of_object(at)) {
      std::string field = view_.field_between(at, next);
      names.push_back(field.empty() ? view_.class_name(at) : std::move(field));
    }
    if (at != Dominators::kRoots) names.emplace_back("...");
    std::ranges::reverse(names);
    return fmt::format("{}", fmt::join(names, " > "));
  }
  void add_object(Index object) {
    const Group group = largest_group(object);
    std::string reason =
        group.objects == 0
            ? "it is that large itself"
            : fmt::format("holds {} {} with {}", base::count_text(group.objects),
                          view_.names.class_name(group.type), base::bytes_text(group.retained));
    if (const std::string above = holders(object); !above.empty())
      reason += fmt::format("; held by {}", above);
    found_.push_back({view_.class_name(object), fmt::format("{:#x}", view_.graph.id(object)),
                      view_.dominators.retained(object), std::move(reason)});
  }

  const HeapView& view_;
  DominatorTree tree_;
  std::vector<HeapSuspect> found_;
};

const ClassFigures* figures_of(const HeapSnapshot& snapshot, std::uint32_t type) {
  const auto found = std::ranges::lower_bound(snapshot.classes, type, {}, &ClassFigures::type);
  return found == snapshot.classes.end() || found->type != type ? nullptr : &*found;
}

// Classes that never shrank, and make up much of what the heap grew by.
void add_growing(const HeapView& view, std::span<const HeapSnapshot> snapshots, Table& table) {
  if (snapshots.size() < 2) return;
  std::uint64_t all = 0;
  struct Growing {
    std::uint32_t type;
    std::uint64_t bytes;
    std::uint64_t objects;
  };
  std::vector<Growing> growing;
  for (const ClassFigures& last : snapshots.back().classes) {
    std::uint64_t before = 0;
    bool shrank = false;
    for (const HeapSnapshot& snapshot : snapshots) {
      const ClassFigures* const had = figures_of(snapshot, last.type);
      const std::uint64_t bytes = had == nullptr ? 0 : had->bytes;
      shrank = shrank || bytes < before;
      before = bytes;
    }
    const ClassFigures* const first = figures_of(snapshots.front(), last.type);
    const ClassFigures had = first == nullptr ? ClassFigures{} : *first;
    if (last.bytes <= had.bytes) continue;
    all += last.bytes - had.bytes;
    if (!shrank && last.objects > had.objects)
      growing.push_back({last.type, last.bytes - had.bytes, last.objects - had.objects});
  }
  for (const Growing& one : growing)
    if (share(one.bytes, all) >= kLargeShare)
      table.rows.push_back(
          {view.names.class_name(one.type), Cell{}, one.bytes, percent(one.bytes, all),
           fmt::format("grew from snapshot to snapshot: {} more in {}, {} of all growth",
                       base::count_text(one.objects, "object", "objects"),
                       base::count_text(snapshots.size(), "snapshot", "snapshots"),
                       share_text(one.bytes, all))});
}

}  // namespace

std::vector<HeapSuspect> heap_suspects(const HeapView& view) { return SuspectFinder(view).find(); }

Table suspect_table(const HeapView& view, std::span<const HeapSnapshot> snapshots,
                    const TableOptions& options) {
  Table table = make_table("heap_suspects", "heap", "What may leak",
                           {{"class", "Class", Unit::none},
                            {"object", "Object", Unit::none},
                            {"retained", "Retained", Unit::bytes},
                            {"share", "Share", Unit::percent},
                            {"reason", "Why", Unit::none}});
  for (HeapSuspect& suspect : heap_suspects(view))
    table.rows.push_back(
        {std::move(suspect.name), suspect.object.empty() ? Cell{} : Cell{std::move(suspect.object)},
         suspect.retained, percent(suspect.retained, view.dominators.reached_bytes()),
         std::move(suspect.reason)});
  Table growing = make_table(table.key, "", "", table.columns);
  add_growing(view, snapshots, growing);
  sort_and_limit(growing, {"", 0}, "retained");
  std::ranges::move(growing.rows, std::back_inserter(table.rows));
  sort_and_limit(table, options, "");
  return table;
}

}  // namespace polytrace::analysis
