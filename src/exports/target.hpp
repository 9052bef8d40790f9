// SPDX-License-Identifier: Apache-2.0
// A file format of another tool that can be written. Three kinds: a time line holds the events
// themselves, a profile sums of one weight by stack, a snapshot the heap at one moment. A new
// target is one file that defines what its row in targets.def declares.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "exports/job/job.hpp"

namespace polytrace::exports {

enum class Files : std::uint8_t { one, folder };
enum class Packing : std::uint8_t { plain, gzip };
// Which stacks a profile keeps apart.
enum class Stacks : std::uint8_t {
  merged,     // none: those of all threads are one tree
  by_thread,  // those of different threads
  every,      // by weight, thread and helper: its reader chooses. Of compared ones: merged
};
// What a profile shows beside its sums.
enum class Beside : std::uint8_t {
  nothing,
  markers,  // what happened meanwhile
  calls,    // where the weight is time and there are few: the calls in their order
};

struct TimelineTarget {
  std::unique_ptr<TimelineMaker> (*make)(const TimelineJob& job);
  std::uint64_t limit = 0;  // events; 0 = none
  Files files = Files::one;
};

struct ProfileTarget {
  base::result<void> (*write)(const ProfileJob& job);
  std::uint64_t limit = 0;  // places in the tree of stacks; 0 = none
  Stacks stacks = Stacks::merged;
  Beside beside = Beside::nothing;
  Packing packing = Packing::plain;  // whatever the user wants
  // About how many bytes become of it, and the most there may be. Where the user sets no limit,
  // more places are cut until they are kept. Null: any.
  std::uint64_t (*bytes)(const analysis::Pruned& pruned) = nullptr;
  std::uint64_t most_bytes = 0;
};

struct SnapshotTarget {
  base::result<void> (*write)(const SnapshotJob& job);
};

struct Target {
  std::string_view name;
  std::string_view title;
  std::string_view suffix;
  std::string_view readers;  // what opens it, for people
  std::variant<TimelineTarget, ProfileTarget, SnapshotTarget> kind;

  // Null when it is of another kind.
  const TimelineTarget* timeline() const { return std::get_if<TimelineTarget>(&kind); }
  const ProfileTarget* profile() const { return std::get_if<ProfileTarget>(&kind); }
  const SnapshotTarget* snapshot() const { return std::get_if<SnapshotTarget>(&kind); }

  // Of several files.
  bool is_folder() const { return timeline() != nullptr && timeline()->files == Files::folder; }
  // Always gzip.
  bool is_packed() const { return profile() != nullptr && profile()->packing == Packing::gzip; }
};

// All that are for other tools, in the order of targets.def.
std::span<const Target> targets();
// Null when there is none of that name among them.
const Target* find_target(std::string_view name);

// Flame graphs, which no other tool reads: a page that holds its data and needs nothing else, the
// same with threads below one another, and a picture for embedding.
const Target& flame_page();
const Target& flame_page_by_thread();
const Target& flame_picture();

}  // namespace polytrace::exports
