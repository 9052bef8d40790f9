// SPDX-License-Identifier: Apache-2.0
#include "exports/target.hpp"

#include <algorithm>
#include <array>

namespace polytrace::exports {

#define TIMELINE(name, ...) std::unique_ptr<TimelineMaker> make_##name(const TimelineJob& job);
#define FOLDER TIMELINE
#define PROFILE(name, ...) base::result<void> write_##name(const ProfileJob& job);
#define SNAPSHOT(name, ...) base::result<void> write_##name(const SnapshotJob& job);
#include "exports/targets.def"
#undef TIMELINE
#undef FOLDER
#undef PROFILE
#undef SNAPSHOT

namespace {

constexpr std::array kTargets{
#define TIMELINE(name, title, suffix, limit, readers) \
  Target{#name, title, suffix, limit, readers, make_##name},
#define FOLDER(name, title, suffix, limit, readers) \
  Target{#name, title, suffix, limit, readers, make_##name, nullptr, false, false, true},
#define PROFILE(name, title, suffix, limit, readers, by_thread, packed, markers, calls) \
  Target{#name,  title, suffix,  limit, readers, nullptr, write_##name, by_thread,      \
         packed, false, nullptr, 0,     nullptr, markers, calls},
#define SNAPSHOT(name, title, suffix, readers)                         \
  Target{#name, title, suffix, 0,       readers, nullptr,     nullptr, \
         false, false, false,  nullptr, 0,       write_##name},
#include "exports/targets.def"
#undef TIMELINE
#undef FOLDER
#undef PROFILE
#undef SNAPSHOT
};

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target* find_target(std::string_view name) {
  const auto found = std::ranges::find(kTargets, name, &Target::name);
  return found == kTargets.end() ? nullptr : &*found;
}

base::Time Origin::wall_of(base::Time time) const {
  base::Time past = 0, wall_time = 0;
  if (wall == base::kNoTime || wall_at == base::kNoTime || time == base::kNoTime ||
      __builtin_sub_overflow(time, wall_at, &past) ||
      __builtin_add_overflow(wall, past, &wall_time))
    return base::kNoTime;
  return wall_time;
}

}  // namespace polytrace::exports
