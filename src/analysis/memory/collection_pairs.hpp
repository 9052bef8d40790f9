// SPDX-License-Identifier: Apache-2.0
// The collections of a trace, each from its start to its end. Where they have numbers, an end is
// that of its number, on whatever thread, and may come before the start: a file has one thread
// after the other. Without numbers it is that of its thread's open collection of the generation,
// else of the oldest one that is still open on any thread: concurrent ones end where they end.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/table/durations.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

inline constexpr std::uint32_t kNoGeneration = ~std::uint32_t{0};

struct Collection {
  std::uint32_t generation = kNoGeneration;
  std::uint32_t thread = 0;
  base::Id number = 0;  // 0 = none
  base::Time start = base::kNoTime;
  base::Time end = base::kNoTime;      // kNoTime: its end was not recorded
  base::Time resumed = base::kNoTime;  // the world ran again
  std::optional<std::uint64_t> pause;  // of the world: the stops that were made for it
  std::uint64_t moved = 0;
  std::uint32_t site = NameTable::kNone;  // the recorded call that its thread was in
  std::string reason{};                   // in the recorder's words
};

// One thread at a time; each thread's events in their order.
class CollectionPairs {
 public:
  // `site`: the recorded call around the event, kNone where that is not known.
  void add(std::uint32_t thread, const event::Event& event, const event::Gc& details,
           std::uint32_t site);
  // Objects move inside a collection, or after it while the world still stands.
  void moved(std::uint32_t thread);
  // Once, after the last.
  void finish();

  // After finish(), by start.
  const std::vector<Collection>& all() const { return all_; }
  // Of stops, by their generation.
  const std::map<std::uint32_t, Durations>& pauses() const { return pauses_; }
  std::uint64_t ends_without_start() const { return ends_without_start_; }

 private:
  // What tells open collections apart: the number, or else the generation.
  struct Key {
    base::Id number;
    std::uint32_t generation;
    auto operator<=>(const Key&) const = default;
  };
  // What a collecting thread is in the middle of.
  struct Running {
    std::map<Key, std::uint32_t> open;        // index of the collection
    std::vector<std::uint32_t> nesting;       // open collections, innermost last
    std::vector<std::uint32_t> in_this_stop;  // collections since the world stopped
    base::Time stopped = base::kNoTime;
  };
  // Told by number, to be found in the end.
  struct Later {
    base::Id number;
    base::Time from;  // of a stop
    base::Time to;
  };

  void start(std::uint32_t thread, base::Time time, Key key, const event::Gc& details,
             std::uint32_t site);
  void end(Running& running, base::Time time, Key key);
  void resumed(Running& running, base::Time time, Key key);
  // Without a number, on a thread where nothing of it is open.
  struct Stray {
    base::Time time;
    std::uint32_t generation;
  };
  void end_elsewhere();
  // The collection that is meant; null: none.
  Collection* at(const Later& told);

  std::vector<Collection> all_;
  std::map<std::uint32_t, Durations> pauses_;
  base::IdMap<Running> running_;  // by thread
  std::vector<Later> ends_;
  std::vector<Stray> strays_;
  std::vector<Later> stops_;
  std::multimap<base::Id, std::uint32_t> numbered_;
  std::uint64_t ends_without_start_ = 0;
};

}  // namespace polytrace::analysis
