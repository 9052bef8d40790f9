// SPDX-License-Identifier: Apache-2.0
// The call tree from other ends: bottom-up from the methods with the most time of their own, and
// one method between all its callers and all its callees.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/calls/calltree.hpp"
#include "analysis/calls/method_filter.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/tree_order.hpp"
#include "base/seeded_hash.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

// With Selection::method the sandwich of that method, else the tree bottom-up.
class Sandwich final : public Analysis {
 public:
  // The tree is fed and finished by its owner.
  Sandwich(const Selection& selection, std::shared_ptr<const CallTree> tree)
      : selection_(selection), tree_(std::move(tree)) {}

  void consume(const Slice&) override {}
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;

 private:
  Selection selection_;
  std::shared_ptr<const CallTree> tree_;
};

// Callers further away are not shown: paths may be millions of calls long.
constexpr std::size_t kLevels = 32;
constexpr std::size_t kMostNodes = std::size_t{1} << 20;

// A tree that is made of paths, with time and calls.
class Paths {
 public:
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t method = NameTable::kNone;
    std::uint64_t time = 0;
    std::uint64_t calls = 0;
  };
  // 0 when there is no room.
  std::uint32_t child(std::uint32_t parent, std::uint32_t method) {
    const std::uint64_t key = (std::uint64_t{parent} << 32) | method;
    if (const auto known = children_.find(key); known != children_.end()) return known->second;
    if (nodes_.size() == kMostNodes) return 0;
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({parent, method});
    children_.emplace(key, number);
    return number;
  }
  void add(std::uint32_t node, std::uint64_t time, std::uint64_t calls) {
    nodes_[node].time += time;
    nodes_[node].calls += calls;
  }
  std::span<const Node> nodes() const { return nodes_; }
  bool full() const { return nodes_.size() == kMostNodes; }

 private:
  std::vector<Node> nodes_ = std::vector<Node>(1);
  base::IdMap<std::uint32_t> children_;
};

class Views {
 public:
  Views(const CallTree& tree, const Selection& selection, const Names& names)
      : tree_(tree), nodes_(tree.nodes()), filter_(selection, names), names_(names) {}

  // From the `most` methods of the most self time to their callers.
  Paths bottom_up(std::uint64_t most) const;
  // Callers of a method; of a recursion the outermost call counts.
  Paths callers(std::uint32_t method) const;
  Paths callees(std::uint32_t method) const;
  Table show(Table table, const Paths& paths, const TableOptions& options) const;

 private:
  bool outermost(std::uint32_t node) const {
    const std::uint32_t method = nodes_[node].method;
    for (std::uint32_t up = nodes_[node].parent; up >= CallTree::kFirst; up = nodes_[up].parent)
      if (nodes_[up].method == method) return false;
    return true;
  }
  void add_up(Paths& paths, std::uint32_t node, std::uint64_t time) const;

  const CallTree& tree_;
  std::span<const CallTree::Node> nodes_;
  MethodFilter filter_;
  const Names& names_;
};

void Views::add_up(Paths& paths, std::uint32_t node, std::uint64_t time) const {
  const std::uint64_t calls = nodes_[node].calls;
  std::uint32_t at = 0;
  for (std::size_t level = 0; node >= CallTree::kFirst && level < kLevels;
       node = nodes_[node].parent, ++level) {
    at = paths.child(at, nodes_[node].method);
    if (at == 0) return;
    paths.add(at, time, calls);
  }
}

Paths Views::bottom_up(std::uint64_t most) const {
  const auto& totals = tree_.totals();
  std::vector<std::uint32_t> methods;
  for (std::uint32_t i = 0; i < totals.size(); ++i)
    if (totals[i].calls != 0 && filter_.wanted(i)) methods.push_back(i);
  std::ranges::sort(methods, {}, [&](std::uint32_t i) { return tree_.place(i); });
  std::ranges::stable_sort(methods, std::ranges::greater(),
                           [&](std::uint32_t i) { return totals[i].self; });
  if (most != 0 && methods.size() > most) methods.resize(most);
  std::vector<bool> chosen(totals.size());
  for (const std::uint32_t method : methods) chosen[method] = true;
  Paths paths;
  for (auto i = CallTree::kFirst; i < nodes_.size(); ++i)
    if (nodes_[i].calls != 0 && nodes_[i].method < chosen.size() && chosen[nodes_[i].method])
      add_up(paths, i, tree_.self(i));
  return paths;
}

Paths Views::callers(std::uint32_t method) const {
  Paths paths;
  for (auto i = CallTree::kFirst; i < nodes_.size(); ++i)
    if (nodes_[i].method == method && nodes_[i].calls != 0 && outermost(i))
      add_up(paths, i, nodes_[i].total);
  return paths;
}

Paths Views::callees(std::uint32_t method) const {
  Paths paths;
  std::vector<std::uint32_t> places(nodes_.size());  // in paths; 0: not below the method
  for (auto i = CallTree::kFirst; i < nodes_.size(); ++i) {
    const CallTree::Node& node = nodes_[i];
    const std::uint32_t above = node.parent < CallTree::kFirst ? 0 : places[node.parent];
    places[i] = above;
    if (node.calls == 0 || (above == 0 && node.method != method)) continue;
    places[i] = paths.child(above, node.method);
    if (places[i] != 0) paths.add(places[i], node.total, node.calls);
  }
  return paths;
}

Table Views::show(Table table, const Paths& paths, const TableOptions& options) const {
  table.columns = {{"depth", "Depth", Unit::count},
                   {"time", "Time", Unit::nanoseconds},
                   {"share", "Time %", Unit::percent},
                   {"calls", "Calls", Unit::count},
                   {"method", "Method"}};
  table.depth_column = 0;
  const auto nodes = paths.nodes();
  const auto heavier = [&](std::uint32_t a, std::uint32_t b) {
    return nodes[a].time > nodes[b].time;
  };
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 1; i < nodes.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, heavier);
  if (options.limit != 0 && order.size() > options.limit) {
    table.rows_left_out = order.size() - options.limit;
    order.resize(options.limit);
  }
  // A caller has at least what its callee brings, and was made earlier: the rest is a tree.
  std::vector<bool> kept(nodes.size());
  for (const std::uint32_t node : order) kept[node] = true;
  Children children(nodes);
  std::ranges::stable_sort(children.of(0), heavier);
  std::uint64_t depth = 0;
  const auto enter = [&](std::uint32_t i) {
    if (!kept[i]) return false;
    std::ranges::stable_sort(children.of(i), heavier);
    const double part = share(nodes[i].time, tree_.total());
    table.rows.push_back(
        {depth++, nodes[i].time, part, nodes[i].calls, names_.method_name(nodes[i].method)});
    return true;
  };
  walk_tree(children, enter, [&](std::uint32_t) { --depth; });
  if (paths.full()) table.notes.push_back("Paths beyond the limit are left out.");
  return table;
}

enum class Likeness : std::uint8_t { none, part, all_but_parameters, exact };

Likeness likeness(const std::string& own, const std::string& name) {
  if (own == name) return Likeness::exact;
  if (!own.starts_with(name)) {
    return own.find(name) == own.npos ? Likeness::none : Likeness::part;
  }
  return own.compare(name.size(), 2, " (") == 0 ? Likeness::all_but_parameters : Likeness::part;
}

struct Candidates {
  std::uint32_t best = NameTable::kNone;
  std::size_t others = 0;  // as like as the best
};

// Who is likest to the name; of several the one with most calls.
Candidates methods_named(const std::string& name, const CallTree& tree, const Names& names) {
  Candidates found;
  Likeness best = Likeness::none;
  const auto is_better = [&](std::uint32_t a, std::uint32_t b) {
    const auto calls = [&](std::uint32_t i) { return tree.totals()[i].calls; };
    return calls(a) != calls(b) ? calls(a) > calls(b) : tree.place(a) < tree.place(b);
  };
  for (std::uint32_t i = 0; i < tree.totals().size(); ++i) {
    if (tree.totals()[i].calls == 0) continue;
    const Likeness like = likeness(names.method_name(i), name);
    if (like < best || like == Likeness::none) continue;
    if (like > best) found = {i};
    else ++found.others;
    best = like;
    if (is_better(i, found.best)) found.best = i;
  }
  return found;
}

std::vector<Table> Sandwich::tables(const Names& names, const TableOptions& options) const {
  const Views views(*tree_, selection_, names);
  if (selection_.method.empty()) {
    Table table = make_table("bottom_up", "sandwich", "Call tree bottom-up: self time", {});
    return {views.show(std::move(table), views.bottom_up(options.limit), options)};
  }
  const Candidates found = methods_named(selection_.method, *tree_, names);
  const std::uint32_t method = found.best;
  Table up = make_table("method_callers", "sandwich", "Callers of " + selection_.method, {});
  Table down = make_table("method_callees", "sandwich", "Callees of " + selection_.method, {});
  if (method == NameTable::kNone) return {std::move(up), std::move(down)};
  up.title = "Callers of " + names.method_name(method);
  down.title = "Callees of " + names.method_name(method);
  if (found.others != 0)
    up.notes.push_back(fmt::format("The method with most calls of {} whose name has \"{}\".",
                                   base::count_text(found.others + 1), selection_.method));
  return {views.show(std::move(up), views.callers(method), options),
          views.show(std::move(down), views.callees(method), options)};
}

}  // namespace

std::shared_ptr<Analysis> make_sandwich(const Shared& shared) {
  return std::make_shared<Sandwich>(shared.selection, shared.tree);
}

}  // namespace polytrace::analysis
