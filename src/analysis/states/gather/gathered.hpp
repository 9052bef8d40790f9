// SPDX-License-Identifier: Apache-2.0
// What the first pass leaves to the second one. One thread at a time.
#pragma once

#include <tsl/robin_map.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/states/gather/happening.hpp"
#include "analysis/table/words.hpp"
#include "base/id_table.hpp"
#include "base/io/spill_sorter.hpp"
#include "base/seeded_hash.hpp"
#include "base/text/utf8.hpp"
#include "slice/slicer.hpp"
#include "slice/stacks.hpp"

namespace polytrace::analysis {

// Texts of a trace by index, each kept once, as UTF-8: other bytes become U+FFFD.
class TextPool {
 public:
  std::uint32_t index(std::string_view text) {
    if (const auto known = indexes_.find(text); known != indexes_.end()) return known->second;
    const auto index = static_cast<std::uint32_t>(texts_.size());
    raw_.emplace_back(text);
    texts_.push_back(base::repaired(text));
    indexes_.emplace(raw_.back(), index);
    return index;
  }
  const std::string& text(std::uint32_t index) const { return texts_[index]; }

 private:
  std::deque<std::string> raw_;
  std::deque<std::string> texts_;
  tsl::robin_map<std::string_view, std::uint32_t, base::SeededHash> indexes_;
};

// How happenings are put in order of time, and how they lie in a file meanwhile: what changes
// little from one to the next is told as a difference.
struct HappeningPacking {
  using Item = Happening;
  static void pack(base::Appender& out, const Happening& h, const Happening& before);
  static void unpack(base::SpilledRun& in, Happening& h);
};

struct HappeningOrder {
  base::Time operator()(const Happening& h) const { return h.time; }
};

using HappeningSorter = base::SpillSorter<HappeningPacking, HappeningOrder>;

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
  std::vector<std::uint32_t> first_names;  // by thread: the first name told, a text or kNothing
  std::vector<CounterInfo> counters;
  Seen seen;
  bool resumed_first = false;  // the first that is told of the recording: it goes on
  std::optional<std::int64_t> clock_offset;
  base::Time first = 0;  // of the happenings
  base::Time last = 0;
};

}  // namespace polytrace::analysis
