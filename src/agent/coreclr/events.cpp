// SPDX-License-Identifier: Apache-2.0
// The runtime's own events (EventPipe), where there is no callback, or none that is cheap or says
// enough: collections, samples of allocations, locks that threads wait for, handles, finalization.
// They come on the thread they happen on.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <vector>

#include "agent/common/tools/alloc_sampler.hpp"
#include "agent/coreclr/calls/stacks.hpp"
#include "agent/coreclr/calls/threads.hpp"
#include "agent/coreclr/memory/collections.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/payload.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

constexpr std::u16string_view kProvider = u"Microsoft-Windows-DotNETRuntime";
constexpr std::uint64_t kCollectorKeyword = 0x1;  // allocations and finalization, too
constexpr std::uint64_t kHandleKeyword = 0x2;
constexpr std::uint64_t kContentionKeyword = 0x4000;
constexpr std::uint64_t kSamplingKeyword = 0x80000000000;
constexpr std::uint32_t kInformation = 4;
constexpr std::uint32_t kEverything = 5;  // each object, too
constexpr std::uint32_t kCollectionStart = 1;
constexpr std::uint32_t kCollectionEnd = 2;
constexpr std::uint32_t kAllocationTick = 10;
constexpr std::uint32_t kFinalizersEnd = 13;
constexpr std::uint32_t kFinalizersBegin = 14;
constexpr std::uint32_t kFinalized = 29;
constexpr std::uint32_t kHandleMade = 30;
constexpr std::uint32_t kHandleFreed = 31;
constexpr std::uint32_t kContentionStart = 81;
constexpr std::uint32_t kContentionStop = 91;
constexpr std::uint32_t kAllocationSampled = 303;

bool wants_samples() {
  return settings().common.events.alloc == AllocMode::sampled && !tells_objects();
}

// Since .NET 10 the runtime chooses bytes. Before, it tells an object that begins a new room to
// allocate in, which is often a small one behind a large one.
bool chooses_bytes() {
  static const bool chooses = runtime_major() >= 10;
  return chooses;
}

void note_sample(RuntimeId object, RuntimeId type, std::uint64_t size, std::uint32_t weight) {
  event::Alloc details;
  details.object = object;
  details.size = size;
  details.weight = weight;
  StackFrames frames;
  frames.walk();
  details.stack = frames.stack();
  note(details, class_facts(type).number, frames.lists());
}

void note_chosen(Payload payload) {
  if (is_own_work()) return;
  payload.take<std::uint32_t>();  // kind, number of the runtime
  payload.take<std::uint16_t>();
  const auto type = payload.take<RuntimeId>();
  payload.skip_text();
  const auto object = payload.take<RuntimeId>();
  const auto size = payload.take<std::uint64_t>();
  const std::uint64_t interval = settings().common.events.alloc_interval;
  if (type == 0 || size == 0 || !stays_chosen(size, kRuntimesInterval, interval)) return;
  note_sample(object, type, size, sample_weight(size, interval));
}

// Of a thread: what it allocated since its last recorded allocation.
thread_local constinit std::uint64_t t_bytes __attribute__((tls_model("initial-exec"))) = 0;

// One object of so many bytes is told; how many objects that were is estimated by its size.
void note_allocation(Payload payload) {
  if (is_own_work()) return;
  payload.take<std::uint32_t>();  // amount, kind, number of the runtime
  payload.take<std::uint32_t>();
  payload.take<std::uint16_t>();
  t_bytes += payload.take<std::uint64_t>();
  const auto type = payload.take<RuntimeId>();
  payload.skip_text();
  payload.take<std::uint32_t>();  // number of the heap
  const auto object = payload.take<RuntimeId>();
  const auto size = payload.take<std::uint64_t>();
  if (t_bytes < settings().common.events.alloc_interval || type == 0 || size == 0) return;
  const std::uint64_t weight = std::max<std::uint64_t>(1, t_bytes / size);
  t_bytes = 0;
  note_sample(object, type, size, static_cast<std::uint32_t>(weight));
}

thread_local constinit RuntimeId t_contended __attribute__((tls_model("initial-exec"))) = 0;

// The class of an object that a collection may be moving: what stands there is taken for a class
// where it is one.
base::Id class_at(RuntimeId object) {
  constexpr RuntimeId kMarks = 7;
  RuntimeId type = 0;
  iovec to{&type, sizeof type};
  iovec from{reinterpret_cast<void*>(object), sizeof type};
  if (object == 0 || process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof type)
    return base::kNoId;
  type &= ~kMarks;
  if (type == 0 || detail::classes.find(detail::key(type)) == 0) return base::kNoId;
  return class_facts(type).number;
}

base::Id number_of(std::uint64_t os_thread) {
  std::vector<LivingThread> threads;
  living_threads(threads);
  const auto found = std::ranges::find(threads, os_thread, &LivingThread::os_thread);
  return found == threads.end() ? base::kNoId : found->number;
}

void note_monitor(RuntimeId lock, event::Monitor details) {
  StackFrames frames;
  frames.walk();
  details.stack = frames.stack();
  note(details, lock, frames.lists());
}

void note_contention(Payload payload) {
  payload.take<std::uint8_t>();  // flags, number of the runtime
  payload.take<std::uint16_t>();
  t_contended = payload.take<RuntimeId>();
  event::Monitor details;
  details.stage = event::MonitorStage::contended;
  details.class_id = class_at(payload.take<RuntimeId>());
  details.owner = number_of(payload.take<std::uint64_t>());
  note_monitor(t_contended, details);
}

// The runtime's kinds are weak, weak beyond finalization, strong, pinned, and rarer ones.
event::HandleKind handle_kind(std::uint32_t kind) {
  using enum event::HandleKind;
  constexpr event::HandleKind kKinds[] = {weak, weak_track, normal, pinned};
  return kind < std::size(kKinds) ? kKinds[kind] : normal;
}

// Of the handles that were made: their kind and one, which their end does not tell.
PointerTable g_handles;

event::HandleKind take_kind(RuntimeId handle) {
  const Locked locked(g_handles);
  const std::uint64_t known = g_handles.find(detail::key(handle));
  if (known == 0) return event::HandleKind::normal;
  g_handles.put(detail::key(handle), 0);
  return static_cast<event::HandleKind>(known - 1);
}

void note_handle_made(Payload payload) {
  const auto handle = payload.take<RuntimeId>();
  event::Handle details;
  details.object = payload.take<RuntimeId>();
  details.type = handle_kind(payload.take<std::uint32_t>());
  if (handle != 0) {
    const Locked locked(g_handles);
    g_handles.put(detail::key(handle), static_cast<std::uint64_t>(details.type) + 1);
  }
  StackFrames frames;
  frames.walk();
  details.stack = frames.stack();
  note(details, handle, frames.lists());
}

void note_handle_freed(Payload payload) {
  const auto handle = payload.take<RuntimeId>();
  event::Handle details;
  details.stage = event::HandleStage::destroyed;
  if (handle != 0) details.type = take_kind(handle);
  note(details, handle);
}

// The class comes before the object.
void note_finalized(Payload payload) {
  payload.take<RuntimeId>();
  note(event::Finalize{event::FinalizeStage::object_start}, payload.take<RuntimeId>());
}

void note_round(event::FinalizeStage stage) { note(event::Finalize{stage}, base::kNoId); }

struct Asked {
  std::uint64_t keywords = 0;
  std::uint32_t level = kInformation;
};
struct KeywordRow {
  bool wanted;
  std::uint64_t keyword;
  std::uint32_t level;
};

Asked asked() {
  const EventSet& events = settings().common.events;
  const KeywordRow rows[] = {{events.gc, kCollectorKeyword, kInformation},
                             {wants_samples() && chooses_bytes(), kSamplingKeyword, kInformation},
                             {wants_samples() && !chooses_bytes(), kCollectorKeyword, kEverything},
                             {settings().finalizers, kCollectorKeyword, kEverything},
                             {settings().handles, kHandleKeyword, kInformation},
                             {events.monitors, kContentionKeyword, kInformation}};
  Asked asked;
  for (const KeywordRow& row : rows) {
    if (!row.wanted) continue;
    asked.keywords |= row.keyword;
    asked.level = std::max(asked.level, row.level);
  }
  return asked;
}

std::atomic<RuntimeId> g_provider = 0;

bool is_runtimes_own(RuntimeId provider) {
  if (provider == g_provider.load(std::memory_order_relaxed)) return true;
  std::array<char16_t, kProvider.size() + 2> name{};
  std::uint32_t size = 0;  // with the zero
  const bool told = ask(info::kEventPipeGetProviderInfo, provider,
                        static_cast<std::uint32_t>(name.size()), &size, name.data());
  if (!told || std::u16string_view(name.data()) != kProvider) return false;
  g_provider.store(provider, std::memory_order_relaxed);
  return true;
}

// What comes along with a keyword is not taken.
void note_event(std::uint32_t number, Payload payload) {
  const Settings& wanted = settings();
  switch (number) {
    case kCollectionStart: return wanted.common.events.gc ? note_collection_start(payload) : void();
    case kCollectionEnd: return wanted.common.events.gc ? note_collection_end(payload) : void();
    case kAllocationTick:
      return wants_samples() && !chooses_bytes() ? note_allocation(payload) : void();
    case kAllocationSampled: return note_chosen(payload);
    case kFinalizersBegin:
      return wanted.finalizers ? note_round(event::FinalizeStage::round_start) : void();
    case kFinalizersEnd:
      return wanted.finalizers ? note_round(event::FinalizeStage::round_end) : void();
    case kFinalized: return wanted.finalizers ? note_finalized(payload) : void();
    case kHandleMade: return note_handle_made(payload);
    case kHandleFreed: return note_handle_freed(payload);
    case kContentionStart: return note_contention(payload);
    case kContentionStop:
      return note_monitor(t_contended, {.stage = event::MonitorStage::acquired});
    default: return;
  }
}

}  // namespace

bool wants_events() { return asked().keywords != 0; }

bool start_event_session() {
  const Asked what = asked();
  if (what.keywords == 0) return true;
  const EventProvider provider{kProvider.data(), what.keywords, what.level, nullptr};
  std::uint64_t session = 0;
  return ask(info::kEventPipeStartSession, 1, &provider, 0, &session);
}

// A session gets events of others as well, with the same numbers: of the session itself. The stack
// that comes with an event is empty.
HResult on_event(RuntimeId provider, std::uint32_t number, std::uint32_t, std::uint32_t,
                 const std::uint8_t*, std::uint32_t size, const std::uint8_t* bytes, const Guid*,
                 const Guid*, RuntimeId, std::uint32_t, const RuntimeId*) {
  if (is_runtimes_own(provider)) note_event(number, Payload(bytes, size));
  return kOk;
}

}  // namespace polytrace::agent::coreclr
