// SPDX-License-Identifier: Apache-2.0
// Collections, and the stops they need. A collection in the background has begun and ended like any
// other, but the program stands still only in between the stops.
#include <array>
#include <atomic>
#include <bit>
#include <string_view>

#include "agent/coreclr/callbacks.hpp"
#include "agent/coreclr/census.hpp"
#include "agent/coreclr/note.hpp"
#include "agent/coreclr/runtime.hpp"
#include "agent/coreclr/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

using event::GcPhase;

// Why the runtime stops threads.
constexpr std::int32_t kForCollection = 1;
constexpr std::int32_t kToPrepareCollection = 7;
constexpr std::int32_t kInduced = 1;
constexpr std::uint32_t kNumbered = 7;  // generations 0 to 2, as bits

// By the runtime's number, and in the order of a log.
constexpr std::array<std::string_view, 5> kGenerations = {"gen0", "gen1", "gen2", "loh", "poh"};
constexpr std::size_t kTold[] = {3, 2, 1, 0, 4};

// The calling thread's stop. Who stops the program lets it run again; the last callback of a stop
// may come while another thread makes the next one.
thread_local constinit bool t_stops_for_collection __attribute__((tls_model("initial-exec"))) =
    false;
// One collection at a time; one more may run in the background.
std::atomic<std::uint32_t> g_generation = 0;
std::atomic<std::uint32_t> g_collections = 0;

void note_phase(GcPhase phase) {
  event::Gc details;
  details.phase = phase;
  details.generation = g_generation.load(std::memory_order_relaxed);
  note(details, base::kNoId);
}

void note_size() {
  std::array<GenerationRange, 64> ranges{};
  std::uint32_t count = 0;
  if (!ask(info::kGetGenerationBounds, static_cast<std::uint32_t>(ranges.size()), &count,
           ranges.data()))
    return;
  event::HeapSize all;
  all.collection = g_collections.load(std::memory_order_relaxed);
  std::array<event::HeapSize, kGenerations.size()> parts{};
  for (std::size_t i = 0; i < count && i < ranges.size(); ++i) {
    all.total += ranges[i].reserved;
    all.used += ranges[i].used;
    const auto generation = static_cast<std::size_t>(ranges[i].generation);
    if (generation >= parts.size()) continue;
    parts[generation].total += ranges[i].reserved;
    parts[generation].used += ranges[i].used;
  }
  note(all, base::kNoId);
  for (const std::size_t generation : kTold) {
    parts[generation].generation = kGenerations[generation];
    parts[generation].collection = all.collection;
    note(parts[generation], base::kNoId);
  }
}

void note_stop(GcPhase phase) {
  if (t_stops_for_collection) note_phase(phase);
}

}  // namespace

HResult on_collection_started(std::int32_t count, const Bool* collected, std::int32_t reason) {
  if (!settings().common.events.gc) return kOk;
  event::Gc details;
  for (std::int32_t i = 0; i < count && i < 32; ++i)
    if (collected[i] != 0) details.generations |= std::uint32_t{1} << i;
  details.phase = GcPhase::start;
  const std::uint32_t numbered = details.generations & kNumbered;
  const std::uint32_t highest = numbered == 0 ? 0 : std::uint32_t(std::bit_width(numbered)) - 1;
  g_generation.store(highest, std::memory_order_relaxed);
  details.generation = highest;
  if (reason == kInduced) details.reason = "induced";
  const std::uint32_t number = g_collections.fetch_add(1, std::memory_order_relaxed) + 1;
  note(details, base::kNoId);
  begin_census(number);
  return kOk;
}

HResult on_collection_finished() {
  if (!settings().common.events.gc) return kOk;
  note_phase(GcPhase::end);
  note_size();
  return kOk;
}

HResult on_suspend_started(std::int32_t reason) {
  t_stops_for_collection = reason == kForCollection || reason == kToPrepareCollection;
  note_stop(GcPhase::stop_world);
  return kOk;
}
HResult on_suspend_finished() {
  note_stop(GcPhase::world_stopped);
  return kOk;
}
HResult on_suspend_aborted() {
  note_stop(GcPhase::world_started);
  return kOk;
}
HResult on_resume_started() {
  note_stop(GcPhase::start_world);
  if (t_stops_for_collection) close_census();
  return kOk;
}
HResult on_resume_finished() {
  note_stop(GcPhase::world_started);
  if (t_stops_for_collection) tell_census();
  t_stops_for_collection = false;
  return kOk;
}

}  // namespace polytrace::agent::coreclr
