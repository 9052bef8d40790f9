// SPDX-License-Identifier: Apache-2.0
#include "exports/profiles/call_log.hpp"
#include "base/slot.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polytrace::exports {

void CallLog::consume(const slice::Slice& slice) {
  if (full_) return;
  for (const std::uint32_t i : slice.others)
    if (slice.batch.events[i].kind == event::Kind::SummaryBegin) has_sums_ = true;
  walk_.consume(slice, calls_);
  if (!full_) return;
  for (Track& track : tracks_) std::vector<Entry>().swap(track.entries);
}

bool CallLog::begin(Track& track, Time time, std::uint32_t method) {
  if (full_ || calls_kept_ == kMost) {
    full_ = true;
    return false;
  }
  ++calls_kept_;
  track.entries.push_back({time, method, true});
  deepest_ = std::max(deepest_, ++track.depth);
  first_ = std::min(first_, time);
  return true;
}

void CallLog::end(Track& track, std::uint32_t method, Time start, Time end) {
  track.entries.push_back({end, method, false});
  if (--track.depth == 0 && end > start)
    track.total += static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start);
}

void CallLog::finish(const Names& names) {
  if (full_) return;
  walk_.finish(calls_);
  for (const Track& track : tracks_) {
    threads_.push_back(names.thread_name(track.thread));
    for (const Entry& entry : track.entries) {
      std::string& name = base::slot(names_, entry.method);
      if (name.empty()) name = names.method_name(entry.method);
    }
  }
}

CallLog::Verdict CallLog::verdict(std::uint64_t depth) const {
  constexpr auto kSums = "Calls are summed up by stack, not in their order: ";
  if (full_) return {false, fmt::format("{}there are more than {}.", kSums, kMost)};
  if (has_sums_) return {false, fmt::format("{}the recorder summed some up.", kSums)};
  if (depth != 0 && deepest_ > depth)
    return {false, fmt::format("{}some are deeper than --depth {}.", kSums, depth)};
  return {calls_kept_ != 0};
}

}  // namespace polytrace::exports
