// SPDX-License-Identifier: Apache-2.0
// How long the calls of a method took in a part of a trace, with calls to look at: the slowest, and
// one that is as long as most. Any thread.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "service/trace/part.hpp"

namespace polytrace::service {

struct MethodDurations {
  std::uint32_t method = 0;
  store::Durations all{};
  std::optional<store::TimedCall> median{};  // of as many below as above; nothing: too many calls
};
// Of more calls no median call is looked for.
inline constexpr std::uint64_t kMostMedianCalls = 4'000'000;

// `slowest`: how many at most. Linear in the part. Errors: those of frames; limit_exceeded when
// asked to stop.
base::result<MethodDurations> method_durations(const IndexedTrace& trace, std::uint32_t method,
                                               const TracePart& part, std::size_t slowest);

}  // namespace polytrace::service
