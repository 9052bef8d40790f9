// SPDX-License-Identifier: Apache-2.0
// Collections, and the stops they need. A collection in the background has begun and ended like any
// other, but the program stands still only in between the stops, and others run meanwhile: the
// callbacks do not tell one from the other, the runtime's events do.
#include "agent/coreclr/memory/collections.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <utility>

#include "agent/common/runtime/note.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

using event::GcPhase;

// Why the runtime stops threads.
constexpr std::int32_t kForCollection = 1;
constexpr std::int32_t kToPrepareCollection = 7;

// By the runtime's number, and in the order of a log.
constexpr std::array<std::string_view, 5> kGenerations = {"gen0", "gen1", "gen2", "loh", "poh"};
constexpr std::size_t kTold[] = {3, 2, 1, 0, 4};
constexpr std::uint32_t kOldest = 2;
constexpr std::uint32_t kEveryGeneration = (1U << kGenerations.size()) - 1;

// By the runtime's numbers.
constexpr std::array<std::string_view, 18> kReasons = {"allocation",
                                                       "induced",
                                                       "low memory",
                                                       "empty",
                                                       "allocation of large objects",
                                                       "out of space",
                                                       "out of space for large objects",
                                                       "induced, not forced",
                                                       "stress test",
                                                       "low memory, blocking",
                                                       "induced, compacting",
                                                       "low memory of the host",
                                                       "full one after all",
                                                       "low memory of the host, blocking",
                                                       "tuning",
                                                       "tuning for large objects",
                                                       "stepping",
                                                       "induced, aggressive"};
constexpr std::uint32_t kInBackground = 1;
constexpr std::array<std::string_view, 3> kModes = {"", "; in the background",
                                                    "; during one in the background"};

// A collection in one word, 0 = none: what its events need, and what threads may share.
constexpr unsigned kGenerationBits = 8;
constexpr std::uint64_t in_one_word(std::uint64_t number, std::uint32_t generation) {
  return number << kGenerationBits | generation;
}

std::atomic<std::uint64_t> g_begun = 0;       // the last one
std::atomic<std::uint64_t> g_background = 0;  // that runs
std::atomic<std::uint64_t> g_in_stop = 0;     // the last one that began in this stop

// Of the program's stop: of who makes it, and from then on of the program, since another thread may
// let it run again.
thread_local constinit bool t_stops __attribute__((tls_model("initial-exec"))) = false;
std::atomic<bool> g_stopped = false;

// What the calling thread tells of the stop that it ends; the last of that may come while another
// thread makes the next stop.
struct Resumed {
  bool tells = false;
  std::uint64_t collection = 0;
};
thread_local constinit Resumed t_resumed __attribute__((tls_model("initial-exec"))) = {};

void note_phase(GcPhase phase, std::uint64_t collection) {
  event::Gc details;
  details.phase = phase;
  if (collection == 0) return note(details, base::kNoId);
  details.generation = collection & ((1U << kGenerationBits) - 1);
  note(details, collection >> kGenerationBits);
}

void note_size(std::uint64_t collection) {
  std::array<GenerationRange, 64> ranges{};
  std::uint32_t count = 0;
  if (!ask(info::kGetGenerationBounds, static_cast<std::uint32_t>(ranges.size()), &count,
           ranges.data()))
    return;
  event::HeapSize all;
  all.collection = collection;
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

std::uint32_t generations_up_to(std::uint32_t generation) {
  return generation == kOldest ? kEveryGeneration : (2U << generation) - 1;
}

// In words, without memory from anywhere.
class Reason {
 public:
  Reason(std::uint32_t why, std::uint32_t how) {
    if (why < kReasons.size()) add(kReasons[why]);
    if (how < kModes.size()) add(kModes[how]);
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  void add(std::string_view part) {
    size_ += part.copy(text_.data() + size_, text_.size() - size_);
  }

  std::array<char, 80> text_{};
  std::size_t size_ = 0;
};

}  // namespace

void note_collection_start(Payload payload) {
  const auto number = payload.take<std::uint32_t>();
  event::Gc details;
  details.phase = GcPhase::start;
  details.generation = std::min(payload.take<std::uint32_t>(), kOldest);
  details.generations = generations_up_to(details.generation);
  const auto why = payload.take<std::uint32_t>();
  const auto how = payload.take<std::uint32_t>();
  const Reason reason(why, how);
  details.reason = reason.text();
  const std::uint64_t begun = in_one_word(number, details.generation);
  g_begun.store(begun, std::memory_order_relaxed);
  g_in_stop.store(begun, std::memory_order_relaxed);
  if (how == kInBackground) g_background.store(begun, std::memory_order_relaxed);
  note(details, number);
}

void note_collection_end(Payload payload) {
  const auto number = payload.take<std::uint32_t>();
  const auto generation = payload.take<std::uint32_t>();
  std::uint64_t ended = in_one_word(number, std::min(generation, kOldest));
  note_phase(GcPhase::end, ended);
  note_size(number);
  g_background.compare_exchange_strong(ended, 0, std::memory_order_relaxed);
}

HResult on_collection_started(std::int32_t, const Bool*, std::int32_t) {
  if (!settings().common.events.gc) return kOk;
  begin_census(g_begun.load(std::memory_order_relaxed) >> kGenerationBits);
  return kOk;
}

HResult on_suspend_started(std::int32_t reason) {
  t_stops = reason == kForCollection || reason == kToPrepareCollection;
  if (t_stops) note_phase(GcPhase::stop_world, 0);
  return kOk;
}
HResult on_suspend_finished() {
  g_stopped.store(t_stops, std::memory_order_relaxed);
  g_in_stop.store(0, std::memory_order_relaxed);
  if (t_stops) note_phase(GcPhase::world_stopped, 0);
  return kOk;
}
HResult on_suspend_aborted() {
  if (t_stops) note_phase(GcPhase::world_started, 0);
  return kOk;
}
HResult on_resume_started() {
  t_resumed = {g_stopped.exchange(false, std::memory_order_relaxed),
               g_in_stop.exchange(0, std::memory_order_relaxed)};
  if (!t_resumed.tells) return kOk;
  // Nothing began: it is a step of the one in the background.
  if (t_resumed.collection == 0)
    t_resumed.collection = g_background.load(std::memory_order_relaxed);
  note_phase(GcPhase::start_world, t_resumed.collection);
  close_census();
  return kOk;
}
HResult on_resume_finished() {
  const Resumed resumed = std::exchange(t_resumed, {});
  if (!resumed.tells) return kOk;
  note_phase(GcPhase::world_started, resumed.collection);
  tell_census();
  return kOk;
}

}  // namespace polytrace::agent::coreclr
