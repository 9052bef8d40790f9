// SPDX-License-Identifier: Apache-2.0
// Collector/...: what the garbage collector is doing, and whether the threads stand still for it.
// One thread at a time.
#pragma once

#include "analysis/states/derive/state_writer.hpp"
#include "analysis/states/derive/world.hpp"
#include "analysis/states/gather/happening.hpp"

namespace polytrace::analysis {

enum class CollectorAttribute : std::uint8_t { phase, generation, collections, reason };
inline constexpr std::size_t kCollectorAttributes = 4;

class CollectorStates {
 public:
  explicit CollectorStates(World& world) : world_(world) {}

  void gc(const Happening& happening);
  void sync(bool stopped) { synced_stop_ = stopped; }
  // Told by the phases of the world; by sync points where there are none; else by the collections.
  bool pauses_threads() const;

 private:
  enum class Ground : std::uint8_t { running, stopping, stopped, restarting };
  enum class Work : std::uint8_t { none, marking, sweeping };
  struct Open {
    std::uint32_t generation;
    std::uint32_t reason;
  };
  // Generations that can be collected at once; no trace has nearly as many.
  static constexpr std::size_t kMostOpen = 64;

  void start(const Happening& happening);
  void end(const Happening& happening);
  void follow(event::GcPhase phase);
  void show();
  std::string_view phase() const;
  history::Key key(CollectorAttribute attribute);

  World& world_;
  Attributes<CollectorAttribute, kCollectorAttributes> attributes_;
  bool begun_ = false;
  Ground ground_ = Ground::running;
  Work work_ = Work::none;
  std::vector<Open> open_;  // innermost last
  std::uint64_t collections_ = 0;
  bool synced_stop_ = false;
};

}  // namespace polytrace::analysis
