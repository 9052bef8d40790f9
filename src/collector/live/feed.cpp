// SPDX-License-Identifier: Apache-2.0
#include "collector/live/feed.hpp"

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::collector {

base::result<std::size_t> Feed::read(std::span<std::byte> into) {
  waits_ = bytes_.empty() && !ended_;
  if (waits_) return base::fail(base::Code::read_failed, "nothing yet");
  const std::size_t count = std::min(into.size(), bytes_.size());
  std::copy_n(bytes_.begin(), count, into.begin());
  bytes_ = bytes_.subspan(count);
  return count;
}

}  // namespace polytrace::collector
