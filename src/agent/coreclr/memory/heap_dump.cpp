// SPDX-License-Identifier: Apache-2.0
// While the runtime shows the heap no class can be asked for: they have numbers meanwhile, and are
// named behind it.
#include "agent/coreclr/memory/heap_dump.hpp"

#include <time.h>

#include <algorithm>
#include <span>
#include <unordered_set>
#include <vector>

#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

constexpr std::size_t kMostPerEvent = 4096;  // references; more of them follow with size 0

enum RootFlag : std::uint32_t { kWeak = 2, kInterior = 4 };  // of a root

// What events have: the kind, and above it what the root does.
constexpr unsigned kFlagsShift = 8;

// By the runtime's kind: a name, and the kind as events have it.
struct RootKind {
  std::string_view name;
  std::uint32_t number;
};
constexpr RootKind kKinds[] = {{"other", 3}, {"stack", 0}, {"finalizer", 1}, {"handle", 2}};

std::atomic<bool> g_dumps = false;
std::uint64_t g_number = 0;
DumpResult g_result;
std::unordered_set<RuntimeId> g_types;
std::vector<event::Ref> g_references;

bool note_stage(event::DumpStage stage, std::string_view name) {
  number_thread();
  event::Dump details;
  details.stage = stage;
  details.name = name;
  return emit(details, g_number);
}

void note_root(RuntimeId object, std::uint32_t kind, std::uint32_t flags) {
  if (object == 0 || (flags & kInterior) != 0) return;
  const RootKind& known = kKinds[kind < std::size(kKinds) ? kind : 0];
  event::Root details;
  details.type = (flags & kWeak) != 0 ? "weak handle" : known.name;
  details.flags = known.number | flags << kFlagsShift;
  g_result.whole = emit(details, object) && g_result.whole;
}

}  // namespace

bool dumps() { return g_dumps.load(std::memory_order_relaxed); }

void dump_object(RuntimeId object, RuntimeId type, const RuntimeId* references,
                 std::uint32_t count) {
  std::size_t size = 0;
  ask(info::kGetObjectSize2, object, &size);
  event::DumpObject details;
  details.class_id = reserve_class(type);
  details.size = size;
  g_types.insert(type);
  ++g_result.objects;
  g_result.references += count;
  number_thread();
  std::span<const RuntimeId> left(references, count);
  do {
    const auto part = left.first(std::min(left.size(), kMostPerEvent));
    g_references.clear();
    for (const RuntimeId target : part) g_references.push_back({target, 0});
    Lists lists;
    lists.refs = g_references;
    details.refs = whole_refs(lists);
    g_result.whole = emit(details, object, lists) && g_result.whole;
    details.size = 0;
    left = left.subspan(part.size());
  } while (!left.empty());
}

HResult on_roots(std::uint32_t count, const RuntimeId* objects, const std::int32_t* kinds,
                 const std::int32_t* flags, const RuntimeId*) {
  if (!dumps()) return kOk;
  number_thread();
  for (std::uint32_t i = 0; i < count; ++i)
    note_root(objects[i], static_cast<std::uint32_t>(kinds[i]),
              static_cast<std::uint32_t>(flags[i]));
  return kOk;
}

// The references of an object, while the runtime stands.
Bool add_reference(RuntimeId, RuntimeId* reference, void* data) {
  static_cast<std::vector<RuntimeId>*>(data)->push_back(*reference);
  return 1;
}

Bool show_object(RuntimeId object, void* data) {
  auto& references = *static_cast<std::vector<RuntimeId>*>(data);
  references.clear();
  RuntimeId type = 0;
  if (!ask(info::kGetClassFromObject, object, &type)) return 1;
  ask(info::kEnumerateObjectReferences, object, &add_reference, &references);
  dump_object(object, type, references.data(), static_cast<std::uint32_t>(references.size()));
  return 1;
}

// Somebody else may have stopped it, for a sample or a collection.
bool suspend_runtime() {
  constexpr int kMostTries = 1000;
  constexpr timespec kBetween{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int i = 0; i < kMostTries; ++i) {
    if (ask(info::kSuspendRuntime)) return true;
    nanosleep(&kBetween, nullptr);
  }
  return false;
}

// Behind a collection the runtime shows the heap by itself, or is asked to.
bool show_heap() {
  if (settings().census && settings().common.events.gc) return ask(info::kForceGC);
  if (!shows_heap() || !ask(info::kForceGC) || !suspend_runtime()) return false;
  std::vector<RuntimeId> references;
  const bool shown = ask(info::kEnumerateGCHeapObjects, &show_object, &references);
  ask(info::kResumeRuntime);
  return shown;
}

DumpResult dump_heap(std::string_view name) {
  ++g_number;
  g_result = {};
  g_result.whole = note_stage(event::DumpStage::start, name);
  g_dumps.store(true, std::memory_order_relaxed);
  const bool shown = show_heap();
  g_dumps.store(false, std::memory_order_relaxed);
  for (const RuntimeId type : g_types) class_facts(type);
  g_types.clear();
  const bool ended = note_stage(event::DumpStage::end, name);
  g_result.whole = g_result.whole && shown && ended && g_result.objects != 0;
  return g_result;
}

}  // namespace polytrace::agent::coreclr
