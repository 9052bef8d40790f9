// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/weighed.hpp"
#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

using analysis::WeighedNode;
using analysis::WeighedTree;

// Time of its own by path, as the index has it.
WeighedTree weighed(const store::RangeSums& sums, const store::Paths& paths) {
  const auto nodes = sums.tree(paths);
  WeighedTree tree;
  tree.nodes.reserve(nodes.size());
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const store::PathFigures& own = nodes[i].own;
    tree.nodes.push_back({.parent = nodes[i].caller,
                          .method = paths.method(own.path),
                          .weight = own.self,
                          .count = own.calls,
                          .blocked = own.blocked,
                          .waiting = own.waiting,
                          .paused = own.paused});
  }
  return tree;
}

// Each place with all below it.
WeighedTree added_up(WeighedTree tree) {
  for (std::size_t i = tree.nodes.size(); i-- > 1;)
    tree.nodes[tree.nodes[i].parent].add(tree.nodes[i]);
  return tree;
}

struct UpwardRow {
  std::uint32_t id;
  std::uint32_t depth;
  WeighedNode node;
};

// In order of time, of equal ones in that of the tree; a caller behind whom it called.
class Upward {
 public:
  explicit Upward(const WeighedTree& tree) : tree_(tree), below_(tree.nodes.size()) {
    for (std::uint32_t i = 1; i < tree.nodes.size(); ++i) below_[tree.nodes[i].parent].push_back(i);
    for (auto& some : below_)
      std::ranges::stable_sort(some, std::ranges::greater{},
                               [&](std::uint32_t i) { return tree.nodes[i].weight; });
  }

  std::vector<UpwardRow> rows(double least_share) const {
    std::vector<UpwardRow> rows;
    std::vector<std::uint32_t> depths(tree_.nodes.size());
    std::vector<std::uint32_t> waiting(below_[0].rbegin(), below_[0].rend());
    const double least = least_share * static_cast<double>(whole());
    while (!waiting.empty()) {
      const std::uint32_t at = waiting.back();
      waiting.pop_back();
      if (static_cast<double>(tree_.nodes[at].weight) < least) continue;
      rows.push_back({at, depths[at], tree_.nodes[at]});
      for (const std::uint32_t above : below_[at]) depths[above] = depths[at] + 1;
      waiting.insert(waiting.end(), below_[at].rbegin(), below_[at].rend());
    }
    return rows;
  }
  std::uint64_t whole() const {
    std::uint64_t all = 0;
    for (const std::uint32_t i : below_[0]) all += tree_.nodes[i].weight;
    return all;
  }

 private:
  const WeighedTree& tree_;
  std::vector<std::vector<std::uint32_t>> below_;
};

struct Whole {
  std::uint64_t self;
  bool has_pauses;
};

Value cell_of_upward(const Trace& trace, const Whole& whole, const UpwardRow& row, int column) {
  using At = BottomUpColumns;
  switch (column) {
    case At::id: return Value::of(row.id);
    case At::parent_id: return row.depth == 0 ? Value() : Value::of(row.node.parent);
    case At::depth: return Value::of(row.depth);
    case At::method_id: return index_value(row.node.method);
    case At::name: return Value::name(trace.method_name(row.node.method));
    case At::calls: return Value::of(row.node.count);
    case At::self_ns: return Value::of(row.node.weight);
    case At::blocked_ns: return Value::of(row.node.blocked);
    case At::waiting_ns: return Value::of(row.node.waiting);
    case At::paused_ns: return whole.has_pauses ? Value::of(row.node.paused) : Value();
    case At::self_share: return share_value(row.node.weight, whole.self);
    default: return {};
  }
}

base::result<std::unique_ptr<Cursor>> answer_upward(const TracePointer& trace, const Scan& scan) {
  using At = BottomUpColumns;
  const auto range = stretch_of(scan, At::t0, At::t1, At::threads);
  if (!range) return tl::unexpected(range.error());
  const auto least = share_of(scan.parameter(At::least_share));
  if (!least) return tl::unexpected(least.error());
  const auto sums = trace->store().calls(*range);
  if (!sums) return tl::unexpected(sums.error());
  const WeighedTree tree = added_up(analysis::bottom_up(weighed(*sums, trace->store().paths())));
  const Upward upward(tree);
  const Whole whole{upward.whole(), sums->pauses_known()};
  return made<UpwardRow>(upward.rows(*least), [trace, whole](const UpwardRow& row, int column) {
    return cell_of_upward(*trace, whole, row, column);
  });
}

}  // namespace

std::unique_ptr<Table> bottom_up_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(
      TableId::BottomUp, 10'000, [trace](const Scan& scan) { return answer_upward(trace, scan); });
}

}  // namespace polytrace::sql
