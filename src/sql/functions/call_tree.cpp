// SPDX-License-Identifier: Apache-2.0
#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

using Tree = std::vector<store::TreeNode>;

struct TreeRow {
  store::PathFigures own;
  std::uint64_t total;
  std::uint64_t whole;
  bool has_pauses;
};

// Places in the tree of the children of each place, the heaviest last.
std::vector<std::vector<std::uint32_t>> children_of(const Tree& tree) {
  std::vector<std::vector<std::uint32_t>> children(tree.size());
  for (std::uint32_t i = 1; i < tree.size(); ++i) children[tree[i].caller].push_back(i);
  for (auto& some : children)
    std::ranges::sort(some, [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(tree[a].total, tree[b].own.path) <
             std::pair(tree[b].total, tree[a].own.path);
    });
  return children;
}

std::vector<TreeRow> depth_first(const Tree& tree, bool has_pauses, double least_share) {
  std::vector<TreeRow> rows;
  if (tree.empty()) return rows;
  const std::uint64_t whole = tree.front().total;
  const double least = least_share * static_cast<double>(whole);
  const auto children = children_of(tree);
  std::vector<std::uint32_t> waiting = children.front();
  while (!waiting.empty()) {
    const std::uint32_t at = waiting.back();
    waiting.pop_back();
    if (static_cast<double>(tree[at].total) < least) continue;
    rows.push_back({tree[at].own, tree[at].total, whole, has_pauses});
    waiting.insert(waiting.end(), children[at].begin(), children[at].end());
  }
  return rows;
}

Value cell_of_tree(const Trace& trace, const TreeRow& row, int column) {
  using At = CallTreeColumns;
  const store::Paths& paths = trace.store().paths();
  const std::uint32_t path = row.own.path;
  switch (column) {
    case At::path_id: return Value::of(path);
    case At::parent_id:
      return paths.parent(path) == store::kEmptyPath ? Value() : Value::of(paths.parent(path));
    case At::depth: return Value::of(trace.depths()[path]);
    case At::method_id: return index_value(paths.method(path));
    case At::name: return Value::name(trace.path_name(path));
    case At::calls: return Value::of(row.own.calls);
    case At::total_ns: return Value::of(row.total);
    case At::self_ns: return Value::of(row.own.self);
    case At::blocked_ns: return Value::of(row.own.blocked);
    case At::waiting_ns: return Value::of(row.own.waiting);
    case At::paused_ns: return row.has_pauses ? Value::of(row.own.paused) : Value();
    case At::total_share: return share_value(row.total, row.whole);
    default: return {};
  }
}

base::result<std::unique_ptr<Cursor>> answer_tree(const TracePointer& trace, const Scan& scan) {
  const auto range =
      stretch_of(scan, CallTreeColumns::t0, CallTreeColumns::t1, CallTreeColumns::threads);
  if (!range) return tl::unexpected(range.error());
  const auto least = share_of(scan.parameter(CallTreeColumns::least_share));
  if (!least) return tl::unexpected(least.error());
  const auto sums = trace->store().calls(*range);
  if (!sums) return tl::unexpected(sums.error());
  return made<TreeRow>(
      depth_first(sums->tree(trace->store().paths()), sums->pauses_known(), *least),
      [trace](const TreeRow& row, int column) { return cell_of_tree(*trace, row, column); });
}

}  // namespace

std::unique_ptr<Table> call_tree_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(
      TableId::CallTree, 10'000, [trace](const Scan& scan) { return answer_tree(trace, scan); });
}

}  // namespace polytrace::sql
