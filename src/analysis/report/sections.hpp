// SPDX-License-Identifier: Apache-2.0
// The sections a report can have: the one list of analyses.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

class CallTree;

// What sections of one report have in common.
struct Shared {
  const Selection& selection;
  // Set when a selected section needs it: then the report feeds it, before all others.
  std::shared_ptr<CallTree> tree;
  bool tells_suspects = false;  // Analysis::suspects() will be asked for
};

struct Section {
  std::string_view key;    // the --sections word
  std::string_view title;  // for people
  // What recorders take for it: a word of `record --events`, an option; empty = no single one.
  std::string_view events;
  std::string_view option;
  std::shared_ptr<Analysis> (*make)(const Shared&);
  // The kinds of events of which it needs one to say anything; empty = it always may.
  std::span<const event::Kind> kinds{};
  bool needs_tree = false;
  bool in_summary = false;   // its headlines and suspects are quoted
  bool needs_sites = false;  // Slice::sites
};

// In the order of a report.
std::span<const Section> sections();
// By its key, or by the word of `record --events` that it comes from; null when there is none.
const Section* find_section(std::string_view key);

}  // namespace polytrace::analysis
