// SPDX-License-Identifier: Apache-2.0
// Allocations, moves, handles, roots and finalizers.
#include <algorithm>

#include "agent/common/record/encoded_alloc.hpp"
#include "agent/common/tools/alloc_sampler.hpp"
#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/settings.hpp"
#include "agent/mono/stacks/stacks.hpp"

namespace polytrace::agent::mono {
namespace {

std::uint64_t size_of(MonoObject* object, const ClassFacts& facts) {
  return facts.size != 0 ? facts.size : (mono_object_get_size(object) + 7U) & ~7U;
}

ClassFacts facts_of(MonoObject* object) {
  const ClassFacts facts = known_vtable(object->vtable);
  return facts.number != 0 ? facts : vtable_facts(object->vtable);
}

void on_allocation(MonoProfiler*, MonoObject* object) {
  const ClassFacts facts = facts_of(object);
  const std::uint64_t size = size_of(object, facts);
  number_thread();
  const Recording recording;
  const EncodedAlloc encoded(facts.number, address_of(object), size);
  if (emit_encoded(encoded.words(), encoded.count())) return;
  event::Alloc details;
  details.object = address_of(object);
  details.size = size;
  emit(details, facts.number);
}

void on_allocation_with_stack(MonoProfiler*, MonoObject* object) {
  const ClassFacts facts = facts_of(object);
  StackFrames frames;
  frames.walk_from(__builtin_frame_address(0));
  event::Alloc details;
  details.object = address_of(object);
  details.size = size_of(object, facts);
  details.stack = frames.stack();
  note(details, facts.number, frames.lists());
}

// Every class is a site of its own: see tell_site().
void on_allocation_by_class(MonoProfiler*, MonoObject* object) {
  const ClassFacts facts = facts_of(object);
  number_thread();
  const Recording recording;
  if (facts.size != 0) alloc_at(facts.number);
  else alloc_array_at(facts.number, static_cast<std::uint32_t>(size_of(object, facts)));
}

thread_local constinit AllocSampler t_sampler __attribute__((tls_model("initial-exec")));

void on_sampled_allocation(MonoProfiler*, MonoObject* object) {
  const ClassFacts facts = facts_of(object);
  const std::uint64_t size = size_of(object, facts);
  const std::uint64_t interval = settings().common.events.alloc_interval;
  if (!t_sampler.chooses(size, interval)) return;
  event::Alloc details;
  details.object = address_of(object);
  details.size = size;
  details.weight = sample_weight(size, interval);
  StackFrames frames;
  frames.walk();
  details.stack = frames.stack();
  note(details, facts.number, frames.lists());
}

void on_moves(MonoProfiler*, MonoObject* const* objects, uint64_t count) {
  for (uint64_t i = 0; i + 1 < count; i += 2)
    note_stopped(event::Move{address_of(objects[i + 1])}, address_of(objects[i]));
}

void note_handle(event::HandleStage stage, uint32_t handle, MonoGCHandleType type,
                 MonoObject* object) {
  StackFrames frames;
  frames.walk();
  event::Handle details;
  details.stage = stage;
  details.type = static_cast<event::HandleKind>(type);
  if (stage == event::HandleStage::created) details.object = address_of(object);
  details.stack = frames.stack();
  note(details, handle, frames.lists());
}
void on_handle_created(MonoProfiler*, uint32_t handle, MonoGCHandleType type, MonoObject* object) {
  note_handle(event::HandleStage::created, handle, type, object);
}
void on_handle_deleted(MonoProfiler*, uint32_t handle, MonoGCHandleType type) {
  note_handle(event::HandleStage::destroyed, handle, type, nullptr);
}

void on_root_registered(MonoProfiler*, const mono_byte* start, uintptr_t size,
                        MonoGCRootSource source, const void* key, const char* name) {
  event::RootRegion details;
  details.size = size;
  details.source = static_cast<event::RootSource>(source);
  details.key = address_of(key);
  details.name = or_empty(name);
  note(details, address_of(start));
}
void on_root_unregistered(MonoProfiler*, const mono_byte* start) {
  event::RootRegion details;
  details.stage = event::RegionStage::unregistered;
  note(details, address_of(start));
}

void note_finalize(event::FinalizeStage stage, MonoObject* object) {
  note(event::Finalize{stage}, object == nullptr ? base::kNoId : address_of(object));
}
void on_finalizing(MonoProfiler*) { note_finalize(event::FinalizeStage::round_start, nullptr); }
void on_finalizing_object(MonoProfiler*, MonoObject* object) {
  note_finalize(event::FinalizeStage::object_start, object);
}
void on_finalized_object(MonoProfiler*, MonoObject* object) {
  note_finalize(event::FinalizeStage::object_end, object);
}

// The only moment at which a thread of the runtime is sure to come by outside a collection.
void on_finalized(MonoProfiler*) {
  if (settings().finalizers) note_finalize(event::FinalizeStage::round_end, nullptr);
  tell_pending_methods();
  tell_cut_stacks();
  do_what_was_asked();
}

MonoProfilerGCAllocationCallback allocation_callback() {
  switch (settings().common.events.alloc) {
    case AllocMode::none: return nullptr;
    case AllocMode::sampled: return on_sampled_allocation;
    case AllocMode::sites: return on_allocation_by_class;
    case AllocMode::objects: break;
  }
  return settings().stacks ? on_allocation_with_stack : on_allocation;
}

}  // namespace

void install_memory(MonoProfilerHandle runtime) {
  if (const auto callback = allocation_callback(); callback != nullptr) {
    mono_profiler_enable_allocations();
    mono_profiler_set_gc_allocation_callback(runtime, callback);
  }
  if (settings().moves) mono_profiler_set_gc_moves_callback(runtime, on_moves);
  if (settings().handles) {
    mono_profiler_set_gc_handle_created_callback(runtime, on_handle_created);
    mono_profiler_set_gc_handle_deleted_callback(runtime, on_handle_deleted);
  }
  if (settings().roots) {
    mono_profiler_set_gc_root_register_callback(runtime, on_root_registered);
    mono_profiler_set_gc_root_unregister_callback(runtime, on_root_unregistered);
  }
  if (settings().finalizers) {
    mono_profiler_set_gc_finalizing_callback(runtime, on_finalizing);
    mono_profiler_set_gc_finalizing_object_callback(runtime, on_finalizing_object);
    mono_profiler_set_gc_finalized_object_callback(runtime, on_finalized_object);
  }
  mono_profiler_set_gc_finalized_callback(runtime, on_finalized);
}

}  // namespace polytrace::agent::mono
