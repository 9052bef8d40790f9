// SPDX-License-Identifier: Apache-2.0
// Stack samples. They come as a signal on the sampled thread, which records them at once, with the
// time they happened; one that comes while the thread records something is counted instead.
#include <dlfcn.h>

#include <atomic>

#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/settings.hpp"
#include "agent/mono/stacks/stacks.hpp"

namespace polytrace::agent::mono {
namespace {

std::atomic<std::uint64_t> g_missed = 0;

// Native addresses seen, for their symbols: a page each is enough to find them again, so a small
// table without room is no loss but of a name.
constexpr std::size_t kPlaces = 4096;
std::atomic<std::uintptr_t> g_places[kPlaces];

void remember_place(std::uintptr_t address) {
  const std::size_t at = address * 0x9e3779b97f4a7c15U >> 52;
  g_places[at].store(address, std::memory_order_relaxed);
}

void on_hit(MonoProfiler*, const mono_byte* ip, const void* context) {
  if (t_marks.recording || t_marks.number == 0) {
    g_missed.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const Recording recording;
  StackFrames frames;
  frames.walk_in_signal(context);
  event::Sample details;
  details.mode = settings().wall_clock ? event::SampleMode::wall : event::SampleMode::cpu;
  details.stack = frames.stack();
  const base::Id place = address_of(ip);
  Lists lists = frames.lists();
  lists.natives = {&place, 1};
  details.natives = whole_natives(lists);
  emit(details, t_marks.number, lists, Patience::never);
  remember_place(reinterpret_cast<std::uintptr_t>(ip));
}

}  // namespace

void tell_native_symbols() {
  for (auto& place : g_places) {
    const std::uintptr_t address = place.load(std::memory_order_relaxed);
    Dl_info found{};
    if (address == 0 || dladdr(reinterpret_cast<const void*>(address), &found) == 0) continue;
    if (found.dli_sname == nullptr) continue;
    event::NativeSymbol details;
    details.name = found.dli_sname;
    define(details, address_of(found.dli_saddr));
  }
}

void tell_missed_samples() {
  const std::uint64_t missed = g_missed.exchange(0, std::memory_order_relaxed);
  if (missed == 0) return;
  event::Lost details;
  details.records = missed;
  details.reason = "stack samples of threads that were just recording, or not yet known";
  define(details, base::kNoId);
}

void install_samples(MonoProfilerHandle runtime) {
  const std::uint64_t interval = settings().common.events.sample_interval;
  if (interval == 0) return;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto frequency = static_cast<uint32_t>(interval >= kSecond ? 1 : kSecond / interval);
  mono_profiler_enable_sampling(runtime);
  mono_profiler_set_sample_hit_callback(runtime, on_hit);
  mono_profiler_set_sample_mode(
      runtime,
      settings().wall_clock ? MONO_PROFILER_SAMPLE_MODE_REAL : MONO_PROFILER_SAMPLE_MODE_PROCESS,
      frequency);
}

}  // namespace polytrace::agent::mono
