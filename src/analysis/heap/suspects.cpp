// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/heap/chains.hpp"
#include "analysis/heap/growth.hpp"
#include "analysis/heap/questions.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

using Index = HeapGraph::Index;

// What is worth a word, as a part of the whole; however small the whole is, not a few bytes.
constexpr double kLargeShare = 10;  // percent
constexpr std::uint64_t kLeast = 128;
constexpr std::uint64_t kLargeAlone = 1024;  // of an object that holds nothing
constexpr double kLargeGrowth = 1;           // percent of the last snapshot
constexpr double kMainChild = 50;            // percent: then that one is to blame
constexpr std::size_t kMostHolders = 4;

class SuspectFinder {
 public:
  explicit SuspectFinder(const HeapView& view)
      : view_(view),
        tree_(view.dominators, view.graph.objects()),
        least_(std::max(kLeast, static_cast<std::uint64_t>(std::ceil(
                                    kLargeShare / 100 *
                                    static_cast<double>(view.dominators.reached_bytes()))))),
        in_chains_(view.graph.objects()) {}

  std::vector<HeapSuspect> find() {
    add_chains();
    add_objects();
    add_groups();
    std::ranges::stable_sort(found_, std::greater<>(), &HeapSuspect::retained);
    return std::move(found_);
  }

 private:
  // No object of them holds much that the next does not.
  void add_chains() {
    for (const HeapChain& chain : heap_chains(view_, tree_, least_)) {
      for (const Index member : chain.members) in_chains_[member] = true;
      std::string reason = fmt::format("a chain of {} {}", base::count_text(chain.links),
                                       view_.names.class_name(view_.type(chain.head)));
      if (chain.parts.objects != 0) reason += "; " + holds_text(chain.parts);
      add(chain.head, std::move(reason));
    }
  }
  // Objects that hold much, of which no single one holds the most again.
  void add_objects() {
    const auto enter = [&](Index object) {
      if (view_.dominators.retained(object) >= least_ && !in_chains_[object] &&
          main_part(view_, tree_, object) == DominatorTree::kNone)
        add_object(object);
    };
    walk(view_.dominators, tree_, enter, [](Index) {});
  }
  // Many of one class, each held by several or by a root.
  void add_groups() {
    const ObjectGroup group = heaviest_part(Dominators::kRoots);
    constexpr std::uint64_t kMany = 10;
    if (group.objects < kMany || group.retained < least_) return;
    if (share(group.largest, group.retained) >= kMainChild) return;  // told by itself
    found_.push_back({view_.names.class_name(group.type), "", group.retained,
                      fmt::format("{} that nothing single holds",
                                  base::count_text(group.objects, "object", "objects"))});
  }

  ObjectGroup heaviest_part(Index above) const {
    std::vector<Index> parts;
    for (Index part = tree_.first(above); part != DominatorTree::kNone; part = tree_.next(part))
      parts.push_back(part);
    return heaviest_class(view_, parts);
  }
  std::string holds_text(const ObjectGroup& group) const {
    return fmt::format("holds {} {} with {}", base::count_text(group.objects),
                       view_.names.class_name(group.type), base::bytes_text(group.retained));
  }
  // What dominates it, from the outside in: the field that refers to the next where that is known,
  // else the class.
  std::string holders(Index object) const {
    std::vector<std::string> names;
    Index last = object;
    Index at = view_.dominators.of_object(object);
    for (; at != Dominators::kRoots && names.size() < kMostHolders;
         last = at, at = view_.dominators.of_object(at)) {
      std::string field = view_.field_between(at, last);
      names.push_back(field.empty() ? view_.class_name(at) : std::move(field));
    }
    if (at != Dominators::kRoots) names.emplace_back("...");
    else if (const auto* const root = view_.root_of(last);
             root != nullptr && root->owner.frame != base::kNoId)
      names.push_back(view_.root_text(*root));
    std::ranges::reverse(names);
    return fmt::format("{}", fmt::join(names, " > "));
  }
  void add_object(Index object) {
    const ObjectGroup group = heaviest_part(object);
    if (group.objects == 0 && view_.dominators.retained(object) < kLargeAlone) return;
    add(object, group.objects == 0 ? "it is that large itself" : holds_text(group));
  }
  void add(Index object, std::string reason) {
    if (const std::string above = holders(object); !above.empty())
      reason += fmt::format("; held by {}", above);
    found_.push_back({view_.class_name(object), fmt::format("{:#x}", view_.graph.id(object)),
                      view_.dominators.retained(object), std::move(reason)});
  }

  const HeapView& view_;
  DominatorTree tree_;
  std::uint64_t least_;          // that a suspect retains
  std::vector<bool> in_chains_;  // by object
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
    if (share(one.bytes, all) >= kLargeShare &&
        share(one.bytes, snapshots.back().bytes) >= kLargeGrowth)
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
