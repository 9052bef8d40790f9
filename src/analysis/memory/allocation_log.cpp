// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/allocation_log.hpp"

#include <algorithm>
#include <tuple>

namespace polytrace::analysis {

using base::Time;

namespace {
constexpr std::uint64_t kWidest = std::uint64_t{1} << 62;
}

void AllocationLog::add(Time time, std::uint32_t site, std::uint64_t bytes) {
  if (entries_.size() >= room_) make_room();
  entries_.push_back({time, bytes, site});
}

// There are more places than room.
void AllocationLog::forget_sites() {
  for (Entry& entry : entries_) entry.site = NameTable::kNone;
}

// Wider and wider, until half of the room is free: each entry is touched a limited number of times.
void AllocationLog::make_room() {
  while (entries_.size() > room_ / 2) {
    if (width_ < kWidest) width_ *= 4;
    else forget_sites();
    const auto window = [this](const Entry& entry) {
      return static_cast<std::uint64_t>(entry.time) / width_;
    };
    std::ranges::sort(entries_, {}, [&](const Entry& entry) {
      return std::tuple(entry.site, window(entry), entry.time);
    });
    std::size_t kept = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      Entry& last = entries_[kept];
      if (entries_[i].site == last.site && window(entries_[i]) == window(last)) {
        last.bytes += entries_[i].bytes;
      } else {
        entries_[++kept] = entries_[i];
      }
    }
    entries_.resize(kept + 1);
  }
}

std::vector<AllocationLog::Interval> AllocationLog::until(std::span<const Time> ends) {
  std::ranges::sort(entries_, {},
                    [](const Entry& entry) { return std::tuple(entry.time, entry.site); });
  std::vector<Interval> out;
  auto entry = entries_.begin();
  for (const Time end : ends) {
    Interval& interval = out.emplace_back();
    BySite sites;
    for (; entry != entries_.end() && entry->time < end; ++entry) {
      interval.bytes += entry->bytes;
      sites[entry->site] += entry->bytes;
    }
    interval.site = heaviest(sites);
  }
  return out;
}

std::uint32_t AllocationLog::heaviest(const BySite& sites) {
  const auto most = std::ranges::max_element(sites, {}, &BySite::value_type::second);
  return most == sites.end() || most->second == 0 ? NameTable::kNone : most->first;
}

}  // namespace polytrace::analysis
