// SPDX-License-Identifier: Apache-2.0
// Methods that are called over and over by one caller and take a good part of the time: what a
// better way of searching or a cache would save. At most two, the one with the most time first.

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <tuple>

#include "analysis/calls/calltree.hpp"
#include "analysis/table/cells.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

constexpr std::uint64_t kFewestCalls = 10'000;
constexpr std::uint64_t kCallsPerCall = 50;  // of its caller
constexpr double kShareOfBusy = 0.1;

// By method: the caller that calls it most; of equals the one with the smallest number.
tsl::robin_map<std::uint32_t, CallEdge> busiest_callers(const CallTree& tree) {
  tsl::robin_map<std::uint32_t, CallEdge> busiest;
  for (const CallEdge& edge : tree.edges()) {
    if (edge.caller == NameTable::kNone || tree.totals()[edge.method].calls < kFewestCalls)
      continue;
    CallEdge& most = busiest[edge.method];
    if (std::tie(edge.calls, most.caller) > std::tie(most.calls, edge.caller)) most = edge;
  }
  return busiest;
}

}  // namespace

// Where no CPU time is known, all self time is busy but for what threads are known to have waited.
std::vector<Suspect> CallTree::suspects(const Names& names) const {
  std::uint64_t busy = 0;
  std::uint64_t self = 0;
  for (const CallTotals& method : totals_) busy += method.busy, self += method.self;
  const auto weight = [this, is_known = busy != 0](std::uint32_t method) {
    return is_known ? totals_[method].busy : totals_[method].self;
  };
  if (busy == 0) busy = self - std::min(self, selection_.subtract_waits ? 0 : waited());
  const auto callers = busiest_callers(*this);
  std::vector<std::uint32_t> hot;
  for (const auto& [method, edge] : callers) {
    if (edge.calls / kCallsPerCall < edge.from_calls) continue;
    if (static_cast<double>(weight(method)) >= kShareOfBusy * static_cast<double>(busy))
      hot.push_back(method);
  }
  std::ranges::sort(hot, std::ranges::greater(), weight);
  if (hot.size() > 2) hot.resize(2);
  std::vector<Suspect> suspects;
  for (const std::uint32_t method : hot) {
    const CallEdge& edge = callers.at(method);
    suspects.push_back({"hot method", names.method_name(method),
                        fmt::format("{} of the busy time in {}, {} for each call of {}",
                                    share_text(weight(method), busy),
                                    base::count_text(totals_[method].calls, "call", "calls"),
                                    edge.calls / std::max<std::uint64_t>(edge.from_calls, 1),
                                    names.method_name(edge.caller))});
  }
  return suspects;
}

}  // namespace polytrace::analysis
