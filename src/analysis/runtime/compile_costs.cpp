// SPDX-License-Identifier: Apache-2.0
#include "analysis/runtime/compile_costs.hpp"

#include <algorithm>
#include <map>

#include "analysis/table/text.hpp"
#include "analysis/table/words.hpp"
#include "base/slot.hpp"
#include "base/types.hpp"

namespace polytrace::analysis {

using event::JitStage;

void CompileCosts::add(const Slice& slice, const event::Event& event) {
  constexpr std::size_t kDeepest = 1024;
  const auto jit = slice.batch.details_or<event::Jit>(event, {});
  const Subject subject =
      event.id == base::kNoId ? jit.runtime_id | kByRuntime : slice.names.methods().index(event.id);
  std::vector<Open>& open = base::slot(open_, slice.threads[event.thread]);
  if (jit.stage == JitStage::start) {
    if (open.size() < kDeepest) open.push_back({subject, event.time});
  } else if (jit.stage == JitStage::end || jit.stage == JitStage::failed) {
    close(open, subject, event.time, jit.stage == JitStage::failed);
  }
}

void CompileCosts::close(std::vector<Open>& open, Subject subject, base::Time end, bool failed) {
  const auto begun = std::ranges::find(open.rbegin(), open.rend(), subject, &Open::subject);
  if (begun == open.rend()) return;
  const std::uint64_t took = base::elapsed(begun->start, end);
  open.erase(std::prev(begun.base()), open.end());
  Cost& cost = costs_[subject];
  ++cost.times;
  cost.failed += failed ? 1 : 0;
  cost.total += took;
  cost.longest = std::max(cost.longest, took);
  ++times_;
  if (open.empty()) total_ += took;
}

void CompileCosts::learn(const Slice& slice, const event::Event& event) {
  const base::Id known = slice.batch.details_or<event::Method>(event, {}).runtime_id;
  if (known != 0 && known != base::kNoId) methods_[known] = slice.names.methods().index(event.id);
}

std::vector<CompileCosts::Cost> CompileCosts::costs() const {
  std::map<std::uint32_t, Cost> by_method;
  for (const auto& [subject, cost] : costs_) {
    auto method = static_cast<std::uint32_t>(subject);
    if ((subject & kByRuntime) != 0) {
      const auto known = methods_.find(subject & ~kByRuntime);
      method = known == methods_.end() ? NameTable::kNone : known->second;
    }
    Cost& sum = by_method[method];
    sum.method = method;
    sum.times += cost.times;
    sum.failed += cost.failed;
    sum.total += cost.total;
    sum.longest = std::max(sum.longest, cost.longest);
  }
  std::vector<Cost> all;
  for (const auto& [method, cost] : by_method) all.push_back(cost);
  return all;
}

}  // namespace polytrace::analysis
