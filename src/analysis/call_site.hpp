// SPDX-License-Identifier: Apache-2.0
// Where a thread was when something happened to it.
#pragma once

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

// The method (an index of Names::methods()) whose recorded call encloses batch.events[event],
// runtime helpers aside; kNone where no call does.
inline std::uint32_t call_around(const Slice& slice, std::uint32_t event) {
  return slice.sites.empty() ? NameTable::kNone : slice.sites[event].method;
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
