// SPDX-License-Identifier: Apache-2.0
// Collections, the size of the heap, and snapshots of it: taken by the collecting thread at the end
// of a collection, while the world still stands.
#include <array>
#include <atomic>

#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/settings.hpp"

namespace polytrace::agent::mono {
namespace {

MonoProfilerHandle g_runtime = nullptr;
std::atomic<bool> g_heap_asked = false;
std::atomic<bool> g_collection_asked = false;
std::atomic<bool> g_classes_asked = false;
std::atomic<std::uint64_t> g_heaps = 0;
// Of the collecting thread, of which there is one at a time.
bool g_walking = false;
std::uint32_t g_majors = 0;

int on_object(MonoObject* object, MonoClass* type, uintptr_t size, uintptr_t count,
              MonoObject** refs, uintptr_t* offsets, void*) {
  std::array<event::Ref, 64> some;  // of one record; an object with more has several
  event::DumpObject details;
  details.class_id = known_class(type).number;
  details.size = (size + 7U) & ~std::uint64_t{7};
  details.generation = static_cast<event::Optional32>(mono_gc_get_generation(object));
  uintptr_t done = 0;
  do {
    std::size_t used = 0;
    for (; used < some.size() && done < count; ++used, ++done)
      some[used] = {address_of(refs[done]), offsets[done]};
    Lists lists;
    lists.refs = {some.data(), used};
    details.refs = whole_refs(lists);
    note_stopped(details, address_of(object), lists);
    details.size = 0;  // what follows goes on with the object
  } while (done < count);
  return 0;
}

void on_roots(MonoProfiler*, uint64_t count, const mono_byte* const* addresses,
              MonoObject* const* objects) {
  for (uint64_t i = 0; i < count; ++i) {
    event::Root details;
    details.address = address_of(addresses[i]);
    note_stopped(details, address_of(objects[i]));
  }
}

bool is_major(uint32_t generation) {
  return generation == static_cast<uint32_t>(mono_gc_max_generation());
}

bool wants_snapshot(uint32_t generation) {
  if (!is_major(generation)) return false;
  if (g_heap_asked.exchange(false, std::memory_order_relaxed)) return true;
  const std::uint32_t each = settings().heap_collections;
  return each != 0 && g_majors++ % each == 0;
}

void begin_snapshot(uint32_t generation) {
  g_walking = wants_snapshot(generation);
  if (!g_walking) return;
  note_stopped(event::Dump{.stage = event::DumpStage::start, .name = {}}, base::kNoId);
  if (settings().roots) mono_profiler_set_gc_roots_callback(g_runtime, on_roots);
}

void end_snapshot() {
  if (!g_walking) return;
  g_walking = false;
  mono_profiler_set_gc_roots_callback(g_runtime, nullptr);
  mono_gc_walk_heap(0, on_object, nullptr);
  note_stopped(event::Dump{.stage = event::DumpStage::end, .name = {}}, base::kNoId);
  g_heaps.fetch_add(1, std::memory_order_release);
}

void note_phase(event::GcPhase phase, uint32_t generation) {
  event::Gc details;
  details.phase = phase;
  details.generation = generation;
  note_stopped(details, base::kNoId);
}

void on_collection(MonoProfiler*, MonoProfilerGCEvent event, uint32_t generation, mono_bool) {
  if (event == MONO_GC_EVENT_PRE_START_WORLD) end_snapshot();
  if (settings().common.events.gc) note_phase(static_cast<event::GcPhase>(event), generation);
  if (event == MONO_GC_EVENT_POST_STOP_WORLD) begin_snapshot(generation);
}

void on_resize(MonoProfiler*, uintptr_t size) {
  event::HeapSize details;
  details.total = size;
  note_stopped(details, base::kNoId);
}

}  // namespace

void ask_for_heap() {
  g_heap_asked.store(true, std::memory_order_relaxed);
  ask_for_collection();
}

void ask_for_collection() {
  g_collection_asked.store(true, std::memory_order_relaxed);
  mono_gc_finalize_notify();
}

void ask_for_classes() {
  g_classes_asked.store(true, std::memory_order_relaxed);
  mono_gc_finalize_notify();
}

void do_what_was_asked() {
  if (g_classes_asked.exchange(false, std::memory_order_relaxed)) tell_all_classes();
  if (g_collection_asked.exchange(false, std::memory_order_relaxed))
    mono_gc_collect(mono_gc_max_generation());
}

void take_heap() {
  g_heap_asked.store(true, std::memory_order_relaxed);
  mono_gc_collect(mono_gc_max_generation());
}

std::uint64_t heaps_taken() { return g_heaps.load(std::memory_order_acquire); }

void install_collections(MonoProfilerHandle runtime) {
  g_runtime = runtime;
  mono_profiler_set_gc_event_callback(runtime, on_collection);
  if (settings().common.events.gc) mono_profiler_set_gc_resize_callback(runtime, on_resize);
}

}  // namespace polytrace::agent::mono
