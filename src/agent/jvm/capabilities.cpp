// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "agent/jvm/callbacks.hpp"
#include "agent/jvm/code/instrument.hpp"
#include "agent/jvm/facts/threads.hpp"
#include "agent/jvm/facts/vm.hpp"
#include "agent/jvm/life.hpp"

namespace polytrace::agent::jvm {

namespace {

// Whether something wanted can be had; told when not.
bool granted(bool wanted, bool potential, const char* what, Faults& faults) {
  if (wanted && !potential) faults.push_back(std::string("this VM cannot tell ") + what + " now");
  return wanted && potential;
}

jint interval_of(const EventSet& events) {
  return static_cast<jint>(std::min<std::uint64_t>(events.alloc_interval, INT32_MAX));
}

// What other runtimes' agents tell, and this one does not.
void leave_out(EventSet& events, Faults& faults) {
  const auto refuse = [&](bool wanted, const char* what) {
    if (wanted) faults.push_back(std::string("the agent for Java does not tell ") + what);
  };
  refuse(events.jit, "what is compiled");
  refuse(events.classes, "classes that no event names");
  refuse(events.counters, "counters");
  refuse(events.sample_interval != 0, "samples");
  events.jit = events.classes = events.counters = false;
  events.sample_interval = 0;
}

}  // namespace

void ask_capabilities(Settings& settings, Faults& faults) {
  EventSet& events = settings.common.events;
  leave_out(events, faults);
  jvmtiCapabilities potential{};
  jvmtiCapabilities wanted{};
  vm().ti->GetPotentialCapabilities(&potential);
  Vm& has = vm();
  const bool rewrites = events.calls || events.alloc == AllocMode::sites;
  has.can_retransform = granted(
      rewrites,
      potential.has(can_retransform_classes) && potential.has(can_generate_all_class_hook_events),
      "calls", faults);
  has.can_tag = potential.has(can_tag_objects);
  const bool objects = events.alloc == AllocMode::objects;
  has.can_sample_allocations =
      granted(events.alloc == AllocMode::sampled || objects,
              potential.has(can_generate_sampled_object_alloc_events), "allocations", faults);
  has.can_tell_frees = granted(objects, potential.has(can_generate_object_free_events),
                               "the end of objects", faults);
  has.can_tell_collections =
      granted(events.gc || objects, potential.has(can_generate_garbage_collection_events),
              "collections", faults);
  has.can_tell_monitors =
      granted(events.monitors, potential.has(can_generate_monitor_events), "monitors", faults);
  has.can_tell_owners =
      has.can_tell_monitors && granted(settings.monitor_owner, potential.has(can_get_monitor_info),
                                       "who holds a monitor", faults);
  has.can_tell_exceptions = granted(events.exceptions, potential.has(can_generate_exception_events),
                                    "exceptions", faults);
  has.can_tell_virtual_threads =
      settings.virtual_threads && potential.has(can_support_virtual_threads) && has.version >= 21;

  wanted.add(can_retransform_classes, has.can_retransform);
  wanted.add(can_generate_all_class_hook_events, has.can_retransform);
  wanted.add(can_retransform_any_class,
             has.can_retransform && potential.has(can_retransform_any_class));
  wanted.add(can_tag_objects, has.can_tag);
  wanted.add(can_get_source_file_name, potential.has(can_get_source_file_name));
  wanted.add(can_get_line_numbers, potential.has(can_get_line_numbers));
  wanted.add(can_generate_sampled_object_alloc_events, has.can_sample_allocations);
  wanted.add(can_generate_object_free_events, has.can_tell_frees);
  wanted.add(can_generate_garbage_collection_events, has.can_tell_collections);
  wanted.add(can_generate_monitor_events, has.can_tell_monitors);
  wanted.add(can_get_monitor_info, has.can_tell_owners);
  wanted.add(can_generate_exception_events, has.can_tell_exceptions);
  wanted.add(can_get_bytecodes, has.can_tell_exceptions && potential.has(can_get_bytecodes));
  wanted.add(can_support_virtual_threads, has.can_tell_virtual_threads);
  if (!ok(vm().ti->AddCapabilities(&wanted)))
    faults.emplace_back("this VM refuses what it said it could");
  // A thread keeps to the interval at its beginning until it has met its first sample.
  if (has.can_sample_allocations)
    vm().ti->SetHeapSamplingInterval(objects ? 0 : interval_of(events));
}

void set_callbacks() {
  jvmtiEventCallbacks all{};
  all.set(JVMTI_EVENT_VM_INIT, on_vm_init);
  all.set(JVMTI_EVENT_VM_DEATH, on_vm_death);
  all.set(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, on_class_file);
  all.set(JVMTI_EVENT_THREAD_START, on_thread_start);
  all.set(JVMTI_EVENT_THREAD_END, on_thread_end);
  all.set(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, on_sampled_allocation);
  all.set(JVMTI_EVENT_OBJECT_FREE, on_object_free);
  all.set(JVMTI_EVENT_GARBAGE_COLLECTION_START, on_collection_start);
  all.set(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, on_collection_finish);
  all.set(JVMTI_EVENT_MONITOR_CONTENDED_ENTER, on_contended_enter);
  all.set(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, on_contended_entered);
  all.set(JVMTI_EVENT_MONITOR_WAIT, on_wait);
  all.set(JVMTI_EVENT_MONITOR_WAITED, on_waited);
  all.set(JVMTI_EVENT_EXCEPTION, on_exception);
  all.set(JVMTI_EVENT_VIRTUAL_THREAD_START, on_virtual_thread_start);
  all.set(JVMTI_EVENT_VIRTUAL_THREAD_END, on_virtual_thread_end);
  // An older VM gets no more than it knows.
  const Event<JNIEnv*, jthread> last = JVMTI_EVENT_VIRTUAL_THREAD_START;
  const std::size_t size =
      vm().can_tell_virtual_threads
          ? sizeof all
          : static_cast<std::size_t>(last.number - JVMTI_MIN_EVENT_TYPE_VAL) * sizeof(void*);
  vm().ti->SetEventCallbacks(&all, static_cast<jint>(size));
}

void enable_events(const Settings& settings, bool on) {
  const EventSet& events = settings.common.events;
  const Vm& has = vm();
  set_event(JVMTI_EVENT_THREAD_START, on);
  set_event(JVMTI_EVENT_THREAD_END, on);
  if (has.can_sample_allocations) {
    set_event(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, on);
    // Threads go on with memory that they were given before, which tells nothing.
    if (events.alloc == AllocMode::objects && on) vm().ti->ForceGarbageCollection();
  }
  if (has.can_tell_frees) set_event(JVMTI_EVENT_OBJECT_FREE, on);
  if (has.can_tell_collections) {
    set_event(JVMTI_EVENT_GARBAGE_COLLECTION_START, on);
    set_event(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, on);
  }
  if (has.can_tell_monitors) {
    set_event(JVMTI_EVENT_MONITOR_CONTENDED_ENTER, on);
    set_event(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, on);
    set_event(JVMTI_EVENT_MONITOR_WAIT, on);
    set_event(JVMTI_EVENT_MONITOR_WAITED, on);
  }
  if (has.can_tell_exceptions) set_event(JVMTI_EVENT_EXCEPTION, on);
  if (has.can_tell_virtual_threads) {
    set_event(JVMTI_EVENT_VIRTUAL_THREAD_START, on);
    set_event(JVMTI_EVENT_VIRTUAL_THREAD_END, on);
  }
}

}  // namespace polytrace::agent::jvm
