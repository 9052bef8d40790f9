// SPDX-License-Identifier: Apache-2.0
// Which callbacks the runtime makes: what is not wanted is not asked for, and costs nothing.
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

// COR_PRF_MONITOR and, from bit 32 on, COR_PRF_HIGH_MONITOR.
enum Flag : std::uint64_t {
  kFunctionUnloads = 0x1,
  kClassLoads = 0x2,
  kModuleLoads = 0x4,
  kAssemblyLoads = 0x8,
  kDomainLoads = 0x10,
  kCompilation = 0x20,
  kExceptions = 0x40,
  kHeapWalks = 0x80,
  kAllocations = 0x100,
  kThreads = 0x200,
  kEnterLeave = 0x1000,
  kSuspensions = 0x10000,
  kSearches = 0x20000,
  kAllAllocations = 0x800000,
  kStackSnapshots = 0x10000000,
  kNoTieredCode = std::uint64_t{0x8} << 32,
  kCollections = std::uint64_t{0x10} << 32,
  kEvents = std::uint64_t{0x80} << 32
};

constexpr std::uint64_t kAlways =
    kFunctionUnloads | kClassLoads | kModuleLoads | kAssemblyLoads | kDomainLoads | kThreads;

struct Row {
  bool wanted;
  std::uint64_t flags;
};

}  // namespace

// Code that is compiled quickly, to be compiled anew when it is hot, makes boxes by a helper that
// tells nobody.
bool set_event_mask() {
  const EventSet& events = settings().common.events;
  const bool every_object = events.alloc == AllocMode::objects || events.alloc == AllocMode::sites;
  const Row rows[] = {
      {events.calls, kEnterLeave | kCompilation | kExceptions},
      {events.jit, kCompilation | kSearches},
      {events.exceptions, kExceptions},
      {events.gc, kSuspensions | (settings().census ? kHeapWalks : kCollections)},
      {tells_objects(), kAllocations | kAllAllocations},
      {wants_events(), kEvents},
      {events_wait(), kCompilation | kSearches},
      {every_object, kNoTieredCode},
      {settings().stacks || events.sample_interval != 0, kStackSnapshots},
  };
  std::uint64_t mask = kAlways;
  for (const Row& row : rows)
    if (row.wanted) mask |= row.flags;
  return ask(info::kSetEventMask2, static_cast<std::uint32_t>(mask),
             static_cast<std::uint32_t>(mask >> 32));
}

}  // namespace polytrace::agent::coreclr
