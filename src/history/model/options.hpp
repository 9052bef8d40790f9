// SPDX-License-Identifier: Apache-2.0
// How a history is opened, and how one is built.
#pragma once

#include <cstdint>
#include <optional>

#include "history/model/facts.hpp"

namespace polytrace::history {

struct OpenOptions {
  bool copied = false;         // read the whole file into memory instead of mapping it
  bool trust_content = false;  // do not test checksums; bounds are tested all the same
  std::uint64_t most_inflated = std::uint64_t{1} << 32;  // bytes of one compressed frame
};

struct BuildOptions {
  Tick start = 0;  // first tick; not INT64_MIN
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::optional<std::int64_t> clock_offset{};  // plus a tick in ns = ns since the Unix epoch
  std::optional<HistoryId> id{};               // random unless given
  Layout layout = Layout::segmented;
  bool replace = false;              // an existing file is refused with output_exists unless set
  bool strict_types = true;          // false: a timeline that was not declared is `any`
  std::uint64_t reorder_window = 0;  // keep changes of the last that many ticks unsorted
  std::uint32_t changes_per_segment = 0;  // 0: what suits the tables' size, 2^17 to 2^19
  bool sync = false;                      // every segment reaches the medium before going on
  bool live = false;                      // other threads may query while one builds
};

}  // namespace polytrace::history
