// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/codes.hpp"
#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

struct Edge {
  std::uint32_t method;
  std::uint64_t calls;
  std::uint64_t total;
};
enum class Side : std::uint8_t { callers, callees };

// Of every place of the tree that is a call of the method, or from it.
std::vector<Edge> edges_of(const Trace& trace, const store::RangeSums& sums, std::uint32_t method,
                           Side side) {
  const store::Paths& paths = trace.store().paths();
  std::map<std::uint32_t, Edge> by_method;
  for (const store::TreeNode& node : sums.tree(paths)) {
    const std::uint32_t path = node.own.path;
    if (path == store::kEmptyPath) continue;
    const std::uint32_t called = paths.method(path);
    const std::uint32_t caller = paths.method(paths.parent(path));
    if ((side == Side::callers ? called : caller) != method) continue;
    const std::uint32_t other = side == Side::callers ? caller : called;
    Edge& edge = by_method.try_emplace(other, Edge{other, 0, 0}).first->second;
    edge.calls += node.own.calls;
    edge.total += node.total;
  }
  std::vector<Edge> all;
  for (const auto& [other, edge] : by_method) all.push_back(edge);
  std::ranges::stable_sort(all, std::ranges::greater{}, &Edge::total);
  return all;
}

Value cell_of_edge(const Trace& trace, const Edge& edge, int column) {
  using At = CallersColumns;
  switch (column) {
    case At::method_id: return index_value(edge.method);
    case At::name:
      return edge.method == store::kNoMethod ? Value()
                                             : Value::name(trace.method_name(edge.method));
    case At::calls: return Value::of(edge.calls);
    case At::total_ns: return Value::of(edge.total);
    default: return {};
  }
}

base::result<std::unique_ptr<Cursor>> answer_edges(const TracePointer& trace, const Scan& scan,
                                                   Side side) {
  using At = CallersColumns;
  const Value method = scan.parameter(At::of_method_id);
  if (!method.is_null() && !method.is_integer())
    return base::fail(base::Code::query_wrong, "whose? method_id('Name') finds a method's number");
  const auto range = stretch_of(scan, At::t0, At::t1, -1);
  if (!range) return tl::unexpected(range.error());
  std::vector<Edge> edges;
  if (method.is_integer() && method.integer >= 0 && method.integer < store::kNoMethod) {
    const auto sums = trace->store().calls(*range);
    if (!sums) return tl::unexpected(sums.error());
    edges = edges_of(*trace, *sums, static_cast<std::uint32_t>(method.integer), side);
  }
  return made<Edge>(std::move(edges), [trace](const Edge& edge, int column) {
    return cell_of_edge(*trace, edge, column);
  });
}

}  // namespace

std::unique_ptr<Table> callers_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(TableId::Callers, 10, [trace](const Scan& scan) {
    return answer_edges(trace, scan, Side::callers);
  });
}

std::unique_ptr<Table> callees_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(TableId::Callees, 10, [trace](const Scan& scan) {
    return answer_edges(trace, scan, Side::callees);
  });
}

}  // namespace polytrace::sql
