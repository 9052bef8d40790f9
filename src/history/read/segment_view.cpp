// SPDX-License-Identifier: Apache-2.0
#include "history/read/segment_view.hpp"

#include <algorithm>

#include "base/io/cursor.hpp"

namespace polytrace::history {
bool SegmentView::open(base::Bytes payload) {
  if (payload.size() < kSegmentHead) return false;
  payload_ = payload;
  base::Cursor in(payload, 0);
  first_ = in.fixed<Tick>();
  last_ = in.fixed<Tick>();
  changes_ = in.fixed<std::uint64_t>();
  keys_ = in.fixed<std::uint32_t>();
  active_ = in.fixed<std::uint32_t>();
  directory_ = in.fixed<std::uint32_t>();
  const auto entries = in.fixed<std::uint32_t>();
  runs_ = in.fixed<std::uint32_t>();
  const auto flags = in.fixed<std::uint32_t>();
  sparse_ = (flags & kSparseFlag) != 0;
  const std::uint64_t directory = (sparse_ ? std::uint64_t{active_} * 2 : keys_) * 4;
  if (directory_ > payload.size() || last_ < first_) return false;
  if ((flags & ~kSparseFlag) != 0) return false;
  if (entries > runs_ || runs_ > payload.size() || payload.size() - directory_ < directory)
    return false;
  return entries_.open(payload.subspan(entries, runs_ - entries));
}

std::uint32_t SegmentView::run_of(Key key) const {
  std::size_t low = 0;
  for (std::size_t size = sparse_ ? active_ : 0; size > 0;) {
    const std::size_t half = size / 2;
    const bool behind = directory(low + half) < key;
    low += behind ? half + 1 : 0;
    size = behind ? size - half - 1 : half;
  }
  return run_of(key, low);
}

}  // namespace polytrace::history
