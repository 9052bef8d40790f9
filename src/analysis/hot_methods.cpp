// SPDX-License-Identifier: Apache-2.0
#include "analysis/hot_methods.hpp"

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <map>

#include "analysis/text.hpp"

namespace polytrace::analysis {
namespace {

constexpr std::uint64_t kFewestCalls = 10'000;
constexpr std::uint64_t kCallsPerCall = 50;  // of its caller
constexpr double kShareOfBusy = 0.1;

struct HotEdge {
  std::uint32_t caller = NameTable::kNone;
  std::uint64_t calls = 0;
  std::uint64_t from_calls = 0;  // of the caller, on the paths that have the edge
};

// By method: the caller that calls it most.
tsl::robin_map<std::uint32_t, HotEdge> busiest_callers(const CallTree& tree) {
  const auto nodes = tree.nodes();
  std::map<std::uint64_t, HotEdge> edges;  // in an order: of equals the first one is told
  for (std::size_t i = CallTree::kFirst; i < nodes.size(); ++i) {
    const CallTree::Node& node = nodes[i];
    if (node.parent < CallTree::kFirst || tree.totals()[node.method].calls < kFewestCalls) continue;
    const std::uint32_t caller = nodes[node.parent].method;
    HotEdge& edge = edges[(std::uint64_t{node.method} << 32) | caller];
    edge.caller = caller;
    edge.calls += node.calls;
    edge.from_calls += nodes[node.parent].calls;
  }
  tsl::robin_map<std::uint32_t, HotEdge> busiest;
  for (const auto& [key, edge] : edges) {
    HotEdge& most = busiest[static_cast<std::uint32_t>(key >> 32)];
    if (edge.calls > most.calls) most = edge;
  }
  return busiest;
}

}  // namespace

std::vector<Suspect> find_hot_methods(const CallTree& tree, std::uint64_t waited,
                                      const Names& names) {
  const auto& totals = tree.totals();
  std::uint64_t self = 0;
  for (const CallTotals& method : totals) self += method.self;
  const std::uint64_t busy = self - std::min(self, waited);
  const auto callers = busiest_callers(tree);
  std::vector<std::uint32_t> hot;
  for (const auto& [method, edge] : callers) {
    const CallTotals& of = totals[method];
    if (edge.calls / kCallsPerCall < edge.from_calls) continue;
    if (static_cast<double>(of.self) >= kShareOfBusy * static_cast<double>(busy))
      hot.push_back(method);
  }
  std::ranges::sort(hot, std::ranges::greater(), [&](std::uint32_t m) { return totals[m].self; });
  if (hot.size() > 2) hot.resize(2);
  std::vector<Suspect> suspects;
  for (const std::uint32_t method : hot) {
    const HotEdge& edge = callers.at(method);
    suspects.push_back({"hot method", names.method_name(method),
                        fmt::format("{} of the busy time in {}, {} for each call of {}",
                                    share_text(totals[method].self, busy),
                                    count_text(totals[method].calls, "call", "calls"),
                                    edge.calls / std::max<std::uint64_t>(edge.from_calls, 1),
                                    names.method_name(edge.caller))});
  }
  return suspects;
}

}  // namespace polytrace::analysis
