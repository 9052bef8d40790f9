// SPDX-License-Identifier: Apache-2.0
// What the call tree shows of itself: its heaviest nodes as a tree, and the heaviest path.
#include <fmt/format.h>
#include <tsl/robin_map.h>

#include "analysis/calls/calltree.hpp"
#include "analysis/calls/method_filter.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/tree_order.hpp"

namespace polytrace::analysis {
namespace {

using Node = CallTree::Node;

// A tree's nodes as one report shows them.
class View {
 public:
  View(const CallTree& tree, const Selection& selection, const Names& names)
      : tree_(tree), nodes_(tree.nodes()), filter_(selection, names), names_(names) {
    if (tree.knows_busy()) sum_busy();
    weigh();
  }

  bool visible(std::uint32_t node) const {
    return node >= CallTree::kFirst && nodes_[node].calls != 0;
  }
  // Visible, and it or something below it has a wanted name.
  bool shown(std::uint32_t node) const { return wanted_[node] && visible(node); }
  // At least the total of every node below, so that the heaviest nodes are a tree by themselves.
  std::uint64_t weight(std::uint32_t node) const {
    if (heavier_below_.empty()) return own_weight(node);
    const auto found = heavier_below_.find(node);
    return found == heavier_below_.end() ? own_weight(node) : found->second;
  }
  // What nodes are weighed by: busy time where there is any, else all.
  bool weighs_busy() const { return !busy_.empty() && busy_[CallTree::kRoot].busy != 0; }
  std::uint64_t own_weight(std::uint32_t node) const {
    return weighs_busy() ? busy_[node].busy : nodes_[node].total;
  }
  std::string share_of_all(std::uint64_t weight) const {
    return share_text(weight, weighs_busy() ? own_weight(CallTree::kRoot) : tree_.total());
  }
  std::string_view weight_word() const { return weighs_busy() ? "busy time" : "time"; }
  std::string name(std::uint32_t node) const { return names_.method_name(nodes_[node].method); }

  // The nodes from the root on, each the heaviest below the one before.
  std::vector<std::uint32_t> heaviest_path() const;
  std::vector<Cell> row(std::uint32_t node, std::uint64_t depth) const {
    const Node& n = nodes_[node];
    const bool is_known = !busy_.empty();
    return {depth,
            n.total,
            share(n.total, tree_.total()),
            is_known ? Cell(busy_[node].busy) : Cell(),
            is_known ? Cell(busy_[node].waiting) : Cell(),
            tree_.self(node),
            n.calls,
            name(node)};
  }

 private:
  // Of each node and all below it.
  void sum_busy() {
    busy_.resize(nodes_.size());
    for (auto i = static_cast<std::uint32_t>(nodes_.size() - 1); i >= CallTree::kFirst; --i) {
      busy_[i].add(tree_.busy(i));
      busy_[nodes_[i].parent].add(busy_[i]);
    }
  }
  void weigh() {
    wanted_.resize(nodes_.size());
    for (auto i = static_cast<std::uint32_t>(nodes_.size() - 1); i >= CallTree::kFirst; --i) {
      const Node& node = nodes_[i];
      if (visible(i) && filter_.wanted(node.method)) wanted_[i] = true;
      if (weight(i) > weight(node.parent)) heavier_below_[node.parent] = weight(i);
      if (wanted_[i]) wanted_[node.parent] = true;
    }
  }

  const CallTree& tree_;
  std::span<const Node> nodes_;
  MethodFilter filter_;
  const Names& names_;
  std::vector<BusyTimes::Times> busy_;  // by node; empty where none is known
  tsl::robin_map<std::uint32_t, std::uint64_t> heavier_below_;  // weights that are not totals
  std::vector<bool> wanted_;
};

std::vector<std::uint32_t> View::heaviest_path() const {
  std::vector<std::uint32_t> path;
  for (std::uint32_t at = CallTree::kRoot;; path.push_back(at)) {
    const std::uint32_t end = at + nodes_[at].size;
    std::uint32_t best = CallTree::kRoot;  // on equal weight the first one
    for (std::uint32_t i = at + 1; i < end; i += nodes_[i].size)
      if (shown(i) && (best == CallTree::kRoot || weight(i) > weight(best))) best = i;
    if (best == CallTree::kRoot) return path;
    at = best;
  }
}

Table empty_table(const char* key, const char* title) {
  return make_table(key, "tree", title,
                    {{"depth", "Depth", Unit::count},
                     {"total", "Total", Unit::nanoseconds},
                     {"share", "Total %", Unit::percent},
                     {"total_busy", "Busy", Unit::nanoseconds, true},
                     {"total_waiting", "Waiting", Unit::nanoseconds, true},
                     {"self", "Self", Unit::nanoseconds},
                     {"calls", "Calls", Unit::count},
                     {"method", "Method"}});
}

struct Kept {
  std::vector<bool> nodes;
  std::uint64_t left_out = 0;
  std::uint64_t heaviest_left_out = 0;
};

struct IsHeavier {
  const View& view;

  bool operator()(std::uint32_t a, std::uint32_t b) const {
    return view.weight(a) != view.weight(b) ? view.weight(a) > view.weight(b) : a < b;
  }
};

// The heaviest nodes of those that are shown to it, of equal ones the first.
class Heaviest {
 public:
  Heaviest(const View& view, std::uint64_t limit) : view_(view), is_heavier_{view}, limit_(limit) {}

  // In the order of their numbers.
  void show(std::uint32_t node) {
    ++shown_;
    if (limit_ != 0 && heap_.size() > limit_) {
      if (view_.weight(node) <= view_.weight(heap_.front())) return;
      pop();
    }
    heap_.push_back(node);
    if (limit_ != 0) std::ranges::push_heap(heap_, is_heavier_);
  }
  Kept kept(std::size_t nodes) {
    Kept kept{std::vector<bool>(nodes), 0, 0};
    if (limit_ != 0 && shown_ > limit_) {
      kept.left_out = shown_ - limit_;
      kept.heaviest_left_out = view_.weight(heap_.front());
      pop();
    }
    for (const std::uint32_t node : heap_) kept.nodes[node] = true;
    return kept;
  }

 private:
  void pop() {
    std::ranges::pop_heap(heap_, is_heavier_);
    heap_.pop_back();
  }

  const View& view_;
  IsHeavier is_heavier_;
  std::uint64_t limit_;  // 0: none
  std::uint64_t shown_ = 0;
  std::vector<std::uint32_t> heap_;  // one more than the limit; the lightest is in front
};

Kept keep_heaviest(const View& view, std::size_t nodes, std::uint64_t limit) {
  Heaviest heaviest(view, limit);
  for (std::uint32_t i = CallTree::kFirst; i < nodes; ++i)
    if (view.shown(i)) heaviest.show(i);
  return heaviest.kept(nodes);
}

// A node of a tree that is listed: as a rule few of the whole tree's.
struct Listed {
  std::uint32_t parent;  // its place in the list
  std::uint32_t node;
};

// Below a visible node that is left out everything is left out.
std::vector<Listed> listed(const View& view, const Kept& kept, std::span<const Node> nodes) {
  std::vector<Listed> list{{0, CallTree::kRoot}};
  std::vector<std::uint32_t> callers{0};  // of the next node, places in the list
  for (std::uint32_t i = CallTree::kFirst; i < nodes.size();) {
    if (view.visible(i) && !kept.nodes[i]) {
      i += nodes[i].size;
      continue;
    }
    while (list[callers.back()].node != nodes[i].parent) callers.pop_back();
    list.push_back({callers.back(), i++});
    callers.push_back(static_cast<std::uint32_t>(list.size() - 1));
  }
  return list;
}

void add_tree_rows(Table& table, const View& view, const Kept& kept, std::span<const Node> nodes) {
  const std::vector<Listed> list = listed(view, kept, nodes);
  Children children{std::span(list)};
  const auto heavier = [&](std::uint32_t a, std::uint32_t b) {
    return view.weight(list[a].node) > view.weight(list[b].node);
  };
  std::ranges::stable_sort(children.of(0), heavier);
  std::uint64_t depth = 0;
  const auto enter = [&](std::uint32_t place) {
    const std::uint32_t node = list[place].node;
    std::ranges::stable_sort(children.of(place), heavier);
    if (kept.nodes[node]) table.rows.push_back(view.row(node, depth++));
    return true;
  };
  walk_tree(children, enter, [&](std::uint32_t place) { depth -= kept.nodes[list[place].node]; });
}

Table tree_table(const View& view, std::span<const Node> nodes, const TableOptions& options) {
  Table table = empty_table("call_tree", "Call tree");
  table.depth_column = 0;
  const Kept kept = keep_heaviest(view, nodes.size(), options.limit);
  add_tree_rows(table, view, kept, nodes);
  table.rows_left_out = kept.left_out;
  if (kept.left_out != 0) {
    table.notes.push_back(
        fmt::format("The heaviest paths are shown; none left out takes more "
                    "than {} of the {}.",
                    view.share_of_all(kept.heaviest_left_out), view.weight_word()));
  }
  return table;
}

Table path_table(const View& view, const TableOptions& options) {
  Table table = empty_table("heaviest_path", "Heaviest path");
  std::uint64_t depth = 0;
  for (const std::uint32_t node : view.heaviest_path())
    if (view.visible(node)) table.rows.push_back(view.row(node, depth++));
  limit_rows(table, options);
  return table;
}

}  // namespace

std::vector<Table> CallTree::tables(const Names& names, const TableOptions& options) const {
  const View view(*this, selection_, names);
  Table tree = tree_table(view, nodes(), options);
  if (helpers_.calls != 0) tree.notes.push_back(helpers_note(helpers_.calls, helpers_.self));
  for (std::string& note : repair_notes(repairs())) tree.notes.push_back(std::move(note));
  return {path_table(view, options), std::move(tree)};
}

// The way to the deepest place that still holds half of the time.
std::vector<std::string> CallTree::headlines(const Names& names) const {
  if (total() == 0) return {};
  const View view(*this, selection_, names);
  std::vector<std::string> steps;
  const std::uint64_t all = view.weighs_busy() ? view.own_weight(kRoot) : total();
  std::uint64_t weight = 0;
  for (const std::uint32_t node : view.heaviest_path()) {
    if (view.weight(node) < all / 2) break;
    if (!view.visible(node)) continue;
    weight = view.own_weight(node);
    if (std::string name = view.name(node); steps.empty() || steps.back() != name)
      steps.push_back(std::move(name));
  }
  if (steps.empty()) return {};
  if (steps.size() > 4) {
    steps[1] = "...";
    steps.erase(steps.begin() + 2, steps.end() - 2);
  }
  return {fmt::format("{} of the {} is below {}", view.share_of_all(weight), view.weight_word(),
                      fmt::join(steps, " > "))};
}

std::shared_ptr<Analysis> make_tree(const Shared& shared) { return shared.tree; }

}  // namespace polytrace::analysis
