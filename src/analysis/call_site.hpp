// SPDX-License-Identifier: Apache-2.0
// Where a thread was when something happened to it: for events without a stack in recordings of
// calls. Looks back in the batch for the call around the event.
#pragma once

#include <array>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

// The method (an index of Names::methods()) whose recorded call encloses batch.events[event],
// runtime helpers aside; kNone when its enter is not among the 1024 events before, of this batch.
// A leave counts for the last enter of its method: leaves without one are met.
inline std::uint32_t call_around(const Slice& slice, std::uint32_t event) {
  constexpr std::uint32_t kFarthest = 1024;
  const auto& events = slice.batch.events;
  const std::uint16_t thread = events[event].thread;
  std::array<base::Id, kFarthest> left;
  std::size_t depth = 0;
  for (std::uint32_t i = event, looked = 0; i > 0 && looked < kFarthest; ++looked) {
    const event::Event& before = events[--i];
    if (before.thread != thread) continue;
    if (before.kind == event::Kind::Leave || before.kind == event::Kind::Unwind) {
      left[depth++] = before.id;
    } else if (before.kind == event::Kind::Enter) {
      std::size_t at = depth;
      while (at > 0 && left[at - 1] != before.id) --at;
      const std::uint32_t method = slice.names.methods().index(before.id);
      if (at != 0) depth = at - 1;
      else if (!slice.names.is_helper(method)) return method;
    }
  }
  return NameTable::kNone;
}

// The innermost frame of a stack, runtime helpers aside; without a stack, the call around.
inline std::uint32_t site_of(const Slice& slice, std::uint32_t event, const event::Stack& stack) {
  const auto frames = slice.batch.list(stack);
  for (std::size_t i = frames.size(); i > 0; --i) {
    const std::uint32_t method = slice.names.methods().index(frames[i - 1]);
    if (!slice.names.is_helper(method)) return method;
  }
  return frames.empty() ? call_around(slice, event) : NameTable::kNone;
}

}  // namespace polytrace::analysis
