// SPDX-License-Identifier: Apache-2.0
// What the first pass leaves to the second one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/states/gather/happening_packing.hpp"
#include "analysis/states/gather/text_pool.hpp"
#include "analysis/table/words.hpp"
#include "base/id_table.hpp"
#include "slice/slicer.hpp"
#include "slice/stacks.hpp"

namespace polytrace::analysis::states {

struct CounterInfo {
  base::Id id = base::kNoId;
  bool defined = false;
  std::string section{};
  std::string name{};
  std::uint32_t types = 0;  // of its values: bit event::CounterType
};

// Of what there was at least one: where a trace tells the same thing in several ways, the best one
// counts.
struct Seen {
  bool world_stops = false;  // as phases of collections
  bool world_syncs = false;
  bool jit = false;
  bool class_loads = false;
  bool census = false;
  bool frees = false;
  bool dumps = false;
  bool locks = false;
};

struct Gathered {
  explicit Gathered(std::size_t sort_bytes) : sorter(sort_bytes) {}

  // Threads that nothing but a mention tells of have the number of their place in `mentioned`, with
  // this bit.
  static constexpr std::uint32_t kMentioned = std::uint32_t{1} << 31;

  Slicer slicer;
  StackTree stacks;
  TextPool texts;
  HappeningSorter sorter;
  base::IdTable mentioned;
  std::vector<std::uint32_t> first_names;  // by thread: the first name told, a text or kNone
  std::vector<CounterInfo> counters;
  Seen seen;
  bool resumed_first = false;  // the first that is told of the recording: it goes on
  std::optional<std::int64_t> clock_offset;
  base::Time first = 0;  // of the happenings
  base::Time last = 0;
};

}  // namespace polytrace::analysis::states
