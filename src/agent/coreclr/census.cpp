// SPDX-License-Identifier: Apache-2.0
// The runtime shows every object behind a collection, on the thread that collects. Classes are
// named when the program runs again.
#include "agent/coreclr/census.hpp"

#include <unordered_map>

#include "agent/coreclr/callbacks.hpp"
#include "agent/coreclr/definitions.hpp"
#include "agent/coreclr/heap_dump.hpp"
#include "agent/coreclr/runtime.hpp"
#include "agent/coreclr/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

struct Population {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};
std::unordered_map<RuntimeId, Population> g_population;
std::uint32_t g_collection = 0;
bool g_counted = false;

}  // namespace

void begin_census(std::uint32_t collection) {
  g_collection = collection;
  g_population.clear();
  g_counted = false;
}

HResult on_object(RuntimeId object, RuntimeId type, std::uint32_t count,
                  const RuntimeId* references) {
  if (dumps()) dump_object(object, type, references, count);
  if (!settings().census || !Recorder::the().running()) return kOk;
  std::size_t size = 0;
  ask(info::kGetObjectSize2, object, &size);
  Population& population = g_population[type];
  ++population.objects;
  population.bytes += size;
  g_counted = true;
  return kOk;
}

void tell_census() {
  if (!g_counted) return;
  g_counted = false;
  for (const auto& [type, population] : g_population) {
    event::Census details;
    details.objects = population.objects;
    details.bytes = population.bytes;
    details.collection = g_collection;
    note(details, class_facts(type).number);
  }
}

}  // namespace polytrace::agent::coreclr
