// SPDX-License-Identifier: Apache-2.0
#include "slice/live_stack.hpp"

namespace polytrace::slice {

void LiveStack::follow(const event::Batch& batch, std::span<const event::Event> calls,
                       event::CallAccount& account) {
  const auto is_plain = [](const event::Event& call) { return call.detail == event::kAbsent; };
  for (auto call = calls.begin(); call != calls.end(); ++call) {
    if (call->kind != event::Kind::Enter) {
      calls_.leave(event::called(batch, *call), account);
      continue;
    }
    const auto next = call + 1;
    const bool is_left = next != calls.end() && next->kind == event::Kind::Leave &&
                         next->id == call->id && is_plain(*call) && is_plain(*next);
    if (is_left && calls_.dropped() == 0) ++call;
    else calls_.enter({event::called(batch, *call), CallSites::kUnknown}, account);
  }
}

}  // namespace polytrace::slice
