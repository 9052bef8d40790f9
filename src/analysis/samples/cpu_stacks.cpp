// SPDX-License-Identifier: Apache-2.0
#include "analysis/samples/cpu_stacks.hpp"

#include <algorithm>

namespace polytrace::analysis {

bool CpuStacks::tells_cpu(const event::Batch& batch) {
  const auto told = [](const auto& details) { return details.cpu > 0; };
  return std::ranges::any_of(batch.column<event::Enter>(), told) ||
         std::ranges::any_of(batch.column<event::Leave>(), told);
}

base::Duration CpuStacks::told(const event::Batch& batch, const event::Event& event) {
  switch (event.kind) {
    case event::Kind::Enter: return batch.details_or<event::Enter>(event, {}).cpu;
    case event::Kind::Leave: return batch.details_or<event::Leave>(event, {}).cpu;
    default: return batch.details_or<event::Unwind>(event, {}).cpu;
  }
}

}  // namespace polytrace::analysis
