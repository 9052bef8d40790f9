// SPDX-License-Identifier: Apache-2.0
// The sections a report can have, as sections.def lists them, and their makers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/analysis.hpp"
#include "format/format.hpp"

namespace polytrace::analysis {

class CallTree;

// An analysis to quote, and what its line is about.
struct Quoted {
  std::string_view topic;
  const Analysis* analysis;
};

// Whether a trace may have snapshots that tell references alone: then all its allocations are kept
// (heap/allocated.hpp).
enum class HeapObjects : std::uint8_t { may_be_bare, are_whole };
inline HeapObjects objects_of(const format::Format& format) {
  return format.whole_objects ? HeapObjects::are_whole : HeapObjects::may_be_bare;
}

// What makers are given: what sections of one report have in common.
struct Shared {
  Selection selection{};
  // Set when a selected section needs it: then the report feeds it, before all others.
  std::shared_ptr<CallTree> tree{};
  bool tells_suspects = false;                   // Analysis::suspects() will be asked for
  HeapObjects objects = HeapObjects::are_whole;  // of snapshots
  // What the summary and the suspects quote: there before their tables are asked for, fed and
  // finished by the report, and outlives them.
  const std::vector<Quoted>* quoted = nullptr;
};

// The maker of each section, which its file defines.
#define SECTION(maker, ...) std::shared_ptr<Analysis> make_##maker(const Shared& shared);
#include "analysis/sections.def"
#undef SECTION

enum class Quoting : std::uint8_t { unquoted, quoted };
// What the report provides for a section: Shared::tree, Slice::sites.
enum class SectionNeeds : std::uint8_t { nothing, call_tree, sites };

// A row of the table.
struct Section {
  std::string_view key;
  std::string_view title;
  std::string_view said;
  std::string_view events;
  std::string_view option;
  std::shared_ptr<Analysis> (*make)(const Shared&);
  Quoting quoting;
  SectionNeeds needs;
  std::span<const event::Kind> kinds;
};

// In the order of a report.
std::span<const Section> sections();
// By its key, or by the word of `record --events` that it comes from; null when there is none.
const Section* find_section(std::string_view key);

}  // namespace polytrace::analysis
