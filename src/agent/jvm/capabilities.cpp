// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/capabilities.hpp"

#include <algorithm>
#include <cstring>

#include "agent/jvm/callbacks.hpp"
#include "agent/jvm/instrument.hpp"
#include "agent/jvm/life.hpp"
#include "agent/jvm/threads.hpp"
#include "agent/jvm/vm.hpp"

namespace polytrace::agent::jvm {

namespace {

// jvmti.h of JDK 21 and later, for builds with an earlier one.
constexpr unsigned kVirtualThreadsBit = 44;  // of the capabilities
constexpr int kVirtualThreadStart = 87;      // numbers of events
constexpr int kVirtualThreadEnd = 88;
using VirtualThreadEvent = void(JNICALL*)(jvmtiEnv*, JNIEnv*, jthread);
struct Callbacks {
  jvmtiEventCallbacks known;
  VirtualThreadEvent ends[2];  // for the same place where the header does not know it
};

bool bit(const jvmtiCapabilities& capabilities, unsigned number) {
  unsigned char bytes[sizeof capabilities];
  std::memcpy(bytes, &capabilities, sizeof bytes);
  return (bytes[number / 8] >> number % 8 & 1) != 0;
}

void set_bit(jvmtiCapabilities& capabilities, unsigned number) {
  unsigned char bytes[sizeof capabilities];
  std::memcpy(bytes, &capabilities, sizeof bytes);
  bytes[number / 8] = static_cast<unsigned char>(bytes[number / 8] | 1U << number % 8);
  std::memcpy(&capabilities, bytes, sizeof bytes);
}

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
  const bool rewrites = events.calls || events.alloc == AllocMode::kSites;
  has.can_retransform = granted(
      rewrites,
      potential.can_retransform_classes != 0 && potential.can_generate_all_class_hook_events != 0,
      "calls", faults);
  has.can_tag = potential.can_tag_objects != 0;
  const bool objects = events.alloc == AllocMode::kObjects;
  has.can_sample_allocations =
      granted(events.alloc == AllocMode::kSampled || objects,
              potential.can_generate_sampled_object_alloc_events != 0, "allocations", faults);
  has.can_tell_frees = granted(objects, potential.can_generate_object_free_events != 0,
                               "the end of objects", faults);
  has.can_tell_collections =
      granted(events.gc || objects, potential.can_generate_garbage_collection_events != 0,
              "collections", faults);
  has.can_tell_monitors =
      granted(events.monitors, potential.can_generate_monitor_events != 0, "monitors", faults);
  has.can_tell_owners =
      has.can_tell_monitors && granted(settings.monitor_owner, potential.can_get_monitor_info != 0,
                                       "who holds a monitor", faults);
  has.can_tell_exceptions = granted(events.exceptions, potential.can_generate_exception_events != 0,
                                    "exceptions", faults);
  has.can_tell_virtual_threads =
      settings.virtual_threads && bit(potential, kVirtualThreadsBit) && has.version >= 21;

  wanted.can_retransform_classes = wanted.can_generate_all_class_hook_events = has.can_retransform;
  wanted.can_retransform_any_class = has.can_retransform && potential.can_retransform_any_class;
  wanted.can_tag_objects = has.can_tag;
  wanted.can_get_source_file_name = potential.can_get_source_file_name;
  wanted.can_get_line_numbers = potential.can_get_line_numbers;
  wanted.can_generate_sampled_object_alloc_events = has.can_sample_allocations;
  wanted.can_generate_object_free_events = has.can_tell_frees;
  wanted.can_generate_garbage_collection_events = has.can_tell_collections;
  wanted.can_generate_monitor_events = has.can_tell_monitors;
  wanted.can_get_monitor_info = has.can_tell_owners;
  wanted.can_generate_exception_events = has.can_tell_exceptions;
  if (has.can_tell_virtual_threads) set_bit(wanted, kVirtualThreadsBit);
  if (!ok(vm().ti->AddCapabilities(&wanted)))
    faults.emplace_back("this VM refuses what it said it could");
  // A thread keeps to the interval at its beginning until it has met its first sample.
  if (has.can_sample_allocations)
    vm().ti->SetHeapSamplingInterval(objects ? 0 : interval_of(events));
}

void set_callbacks() {
  Callbacks all{};
  jvmtiEventCallbacks& callbacks = all.known;
  callbacks.VMInit = on_vm_init;
  callbacks.VMDeath = on_vm_death;
  callbacks.ClassFileLoadHook = on_class_file;
  callbacks.ThreadStart = on_thread_start;
  callbacks.ThreadEnd = on_thread_end;
  callbacks.SampledObjectAlloc = on_sampled_allocation;
  callbacks.ObjectFree = on_object_free;
  callbacks.GarbageCollectionStart = on_collection_start;
  callbacks.GarbageCollectionFinish = on_collection_finish;
  callbacks.MonitorContendedEnter = on_contended_enter;
  callbacks.MonitorContendedEntered = on_contended_entered;
  callbacks.MonitorWait = on_wait;
  callbacks.MonitorWaited = on_waited;
  callbacks.Exception = on_exception;
  // Functions lie in the order of the events' numbers.
  const std::size_t place =
      (kVirtualThreadStart - JVMTI_MIN_EVENT_TYPE_VAL) * sizeof(VirtualThreadEvent);
  const VirtualThreadEvent both[] = {on_virtual_thread_start, on_virtual_thread_end};
  if (vm().can_tell_virtual_threads && place + sizeof both <= sizeof all)
    std::memcpy(reinterpret_cast<char*>(&all) + place, both, sizeof both);
  const std::size_t size =
      vm().can_tell_virtual_threads ? place + sizeof both : sizeof(jvmtiEventCallbacks);
  vm().ti->SetEventCallbacks(&callbacks, static_cast<jint>(size));
}

void enable_events(const Settings& settings, bool on) {
  const EventSet& events = settings.common.events;
  const Vm& has = vm();
  set_event(JVMTI_EVENT_THREAD_START, on);
  set_event(JVMTI_EVENT_THREAD_END, on);
  if (has.can_sample_allocations) {
    set_event(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, on);
    // Threads go on with memory that they were given before, which tells nothing.
    if (events.alloc == AllocMode::kObjects && on) vm().ti->ForceGarbageCollection();
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
    set_event(static_cast<jvmtiEvent>(kVirtualThreadStart), on);
    set_event(static_cast<jvmtiEvent>(kVirtualThreadEnd), on);
  }
}

}  // namespace polytrace::agent::jvm
