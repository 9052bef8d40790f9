// SPDX-License-Identifier: Apache-2.0
#include "store/ask/told_span.hpp"

namespace polytrace::store {

base::result<std::optional<TimeSpan>> told_span(const IndexFrames& frames) {
  const Totals& totals = frames.view().totals();
  const bool goes_back = (frames.view().head().required & kLateTimes) != 0;
  if (goes_back || totals.settled == base::kNoTime || totals.first == base::kNoTime)
    return std::nullopt;
  return TimeSpan{totals.first, totals.last};
}

}  // namespace polytrace::store
