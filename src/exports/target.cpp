// SPDX-License-Identifier: Apache-2.0
#include "exports/target.hpp"

#include <algorithm>
#include <array>

namespace polytrace::exports {

// What the rows of the table name.
std::uint64_t flame_page_bytes(const analysis::Pruned& pruned);
#define TIMELINE(name, ...) std::unique_ptr<TimelineMaker> make_##name(const TimelineJob& job);
#define PROFILE(name, ...) base::result<void> write_##name(const ProfileJob& job);
#define SNAPSHOT(name, ...) base::result<void> write_##name(const SnapshotJob& job);
#define FLAME(name, ...) PROFILE(flame_##name)
#include "exports/targets.def"
#undef TIMELINE
#undef PROFILE
#undef SNAPSHOT
#undef FLAME

namespace {

constexpr std::array kTargets{
#define TIMELINE(name, title, suffix, readers, ...) \
  Target{#name, title, suffix, readers,             \
         TimelineTarget{.make = make_##name __VA_OPT__(, ) __VA_ARGS__}},
#define PROFILE(name, title, suffix, readers, ...) \
  Target{#name, title, suffix, readers,            \
         ProfileTarget{.write = write_##name __VA_OPT__(, ) __VA_ARGS__}},
#define SNAPSHOT(name, title, suffix, readers) \
  Target{#name, title, suffix, readers, SnapshotTarget{.write = write_##name}},
#define FLAME(...)
#include "exports/targets.def"
#undef TIMELINE
#undef PROFILE
#undef SNAPSHOT
#undef FLAME
};

}  // namespace

#define TIMELINE(...)
#define PROFILE(...)
#define SNAPSHOT(...)
#define FLAME(name, said, title, suffix, readers, ...)                          \
  const Target& flame_##name() {                                                \
    static constexpr Target kTarget{                                            \
        said, title, suffix, readers,                                           \
        ProfileTarget{.write = write_flame_##name __VA_OPT__(, ) __VA_ARGS__}}; \
    return kTarget;                                                             \
  }
#include "exports/targets.def"
#undef TIMELINE
#undef PROFILE
#undef SNAPSHOT
#undef FLAME

std::span<const Target> targets() { return kTargets; }

const Target* find_target(std::string_view name) {
  const auto found = std::ranges::find(kTargets, name, &Target::name);
  return found == kTargets.end() ? nullptr : &*found;
}

}  // namespace polytrace::exports
