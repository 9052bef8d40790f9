// SPDX-License-Identifier: Apache-2.0
// What can be asked of recorded programs, by its word in control.allow, addresses and commands.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace polytrace::collector {

enum class Verb : std::uint8_t {
  start,
  stop,
  pause,
  resume,
  filters,
  flush,
  annotate,
  gc,
  heap_dump,
  level,
};
inline constexpr std::array<std::string_view, 10> kVerbs = {
    "start", "stop", "pause", "resume", "filters", "flush", "annotate", "gc", "heap-dump", "level"};

constexpr std::string_view name_of(Verb verb) { return kVerbs[static_cast<std::size_t>(verb)]; }

}  // namespace polytrace::collector
