// SPDX-License-Identifier: Apache-2.0
// The runtime shows every object behind a collection, on the thread that collects. Classes are
// named when the program runs again.
#include "agent/coreclr/memory/collections.hpp"

#include <pthread.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/common/tools/guard.hpp"
#include "agent/coreclr/memory/heap_dump.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

struct Population {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};
struct Census {
  base::Id collection = 0;
  std::unordered_map<RuntimeId, Population> population{};
};

Census g_counting;  // only while the program stands still

// What is counted may wait to be told while the next collection already counts.
pthread_mutex_t g_census_mutex = PTHREAD_MUTEX_INITIALIZER;
std::vector<Census> g_untold;

}  // namespace

void begin_census(base::Id collection) {
  g_counting.collection = collection;
  g_counting.population.clear();
}

HResult on_object(RuntimeId object, RuntimeId type, std::uint32_t count,
                  const RuntimeId* references) {
  if (dumps()) dump_object(object, type, references, count);
  if (!settings().census || !Recorder::the().running()) return kOk;
  std::size_t size = 0;
  ask(info::kGetObjectSize2, object, &size);
  Population& population = g_counting.population[type];
  ++population.objects;
  population.bytes += size;
  return kOk;
}

void close_census() {
  if (g_counting.population.empty()) return;
  const Guard guard(g_census_mutex);
  g_untold.push_back(std::exchange(g_counting, {}));
}

void tell_census() {
  std::vector<Census> taken;
  {
    const Guard guard(g_census_mutex);
    taken.swap(g_untold);
  }
  for (const Census& census : taken) {
    for (const auto& [type, population] : census.population) {
      event::Census details;
      details.objects = population.objects;
      details.bytes = population.bytes;
      details.collection = census.collection;
      note(details, class_facts(type).number);
    }
  }
}

}  // namespace polytrace::agent::coreclr
