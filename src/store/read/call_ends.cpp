// SPDX-License-Identifier: Apache-2.0
#include "store/read/call_ends.hpp"

#include <algorithm>

namespace polytrace::store {

void CallEnds::add(std::uint32_t thread, std::size_t entry) { frames_.push_back({thread, entry}); }

base::result<CallEnds::Ends> CallEnds::of(std::uint32_t thread, const IndexView& view) const {
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(known_, thread, &Known::thread);
    if (known != known_.end()) return known->ends;
  }
  auto ends = std::make_shared<std::vector<CallEnd>>();
  for (const Thread& frame : frames_) {
    if (frame.thread != thread) continue;
    const auto payload = view.payload(frame.entry);
    if (!payload) return base::Unexpected(payload.error());
    if (auto read = read_ends(*payload, *ends); !read) return base::Unexpected(read.error());
  }
  std::ranges::sort(*ends, {}, &CallEnd::call);
  keep(thread, ends);
  return ends;
}

void CallEnds::keep(std::uint32_t thread, const Ends& ends) const {
  const auto bytes = [](const Known& known) {
    return sizeof(Known) + known.ends->capacity() * sizeof(CallEnd);
  };
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(known_, thread, &Known::thread) != known_.end()) return;
  known_.push_back({thread, ends});
  std::size_t all = 0;
  for (const Known& known : known_) all += bytes(known);
  auto keep = known_.begin();
  for (; all > kMostBytes && keep + 1 != known_.end(); ++keep) all -= bytes(*keep);
  known_.erase(known_.begin(), keep);
}

}  // namespace polytrace::store
