// SPDX-License-Identifier: Apache-2.0
// The runtime's own counters: read once a second by a thread of ours, which the runtime does not
// know, and once more at the end. A value is recorded when it changed.
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <cstring>
#include <string>
#include <unordered_map>

#include "agent/common/tools/quiet_thread.hpp"
#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/runtime.hpp"
#include "agent/mono/runtime/settings.hpp"

namespace polytrace::agent::mono {
namespace {

union RawValue {
  std::int32_t int32;
  std::uint32_t uint32;
  std::int64_t int64;
  double real;
};

struct Known {
  std::uint32_t index;
  bool told = false;  // its value
  std::int64_t number = 0;
  double real = 0;
};

pthread_t g_thread;
pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
bool g_running = false;
bool g_stop = false;

using Counters = std::unordered_map<const MonoCounter*, Known>;

event::CounterVariance variance_of(MonoCounter* counter) {
  switch (mono_counter_get_variance(counter)) {
    case MONO_COUNTER_MONOTONIC: return event::CounterVariance::monotonic;
    case MONO_COUNTER_CONSTANT: return event::CounterVariance::constant;
    case MONO_COUNTER_VARIABLE: return event::CounterVariance::variable;
    default: return event::CounterVariance::unknown;
  }
}

event::CounterType type_of(MonoCounter* counter) {
  return static_cast<event::CounterType>(mono_counter_get_type(counter));
}

Known& known(Counters& counters, MonoCounter* counter) {
  const auto [at, is_new] = counters.try_emplace(counter);
  Known& found = at->second;
  if (!is_new) return found;
  found.index = static_cast<std::uint32_t>(counters.size());
  event::CounterDef details;
  details.section = static_cast<event::u32>(mono_counter_get_section(counter));
  details.name = or_empty(mono_counter_get_name(counter));
  details.type = type_of(counter);
  details.unit =
      static_cast<event::CounterUnit>(mono_counter_get_unit(counter) >> MONO_COUNTER_UNIT_SHIFT);
  details.variance = variance_of(counter);
  define(details, found.index);
  return found;
}

std::int64_t whole_number(event::CounterType type, const RawValue& raw) {
  switch (type) {
    case event::CounterType::int32: return raw.int32;
    case event::CounterType::uint32: return raw.uint32;
    default: return raw.int64;
  }
}

// Strings are left out: the runtime registers none.
mono_bool read_counter_value(MonoCounter* counter, void* data) {
  const event::CounterType type = type_of(counter);
  RawValue raw{};
  if (type == event::CounterType::string || mono_counter_get_size(counter) > sizeof raw) return 1;
  if (mono_counters_sample(counter, &raw, sizeof raw) <= 0) return 1;
  Known& last = known(*static_cast<Counters*>(data), counter);
  event::CounterValue value;
  value.type = type;
  if (type == event::CounterType::real) value.real = raw.real;
  else value.number = whole_number(type, raw);
  const bool same = value.number == last.number && std::memcmp(&value.real, &last.real, 8) == 0;
  if (last.told && same) return 1;
  last.told = true;
  last.number = value.number;
  last.real = value.real;
  note(value, last.index);
  return 1;
}

// True: a second went by, false: it is time to end.
bool sleep_a_second() {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  ++until.tv_sec;
  pthread_mutex_lock(&g_mutex);
  while (!g_stop && pthread_cond_timedwait(&g_changed, &g_mutex, &until) == 0) {
  }
  const bool stop = g_stop;
  pthread_mutex_unlock(&g_mutex);
  return !stop;
}

void* run(void*) {
  Counters counters;
  do mono_counters_foreach(read_counter_value, &counters);
  while (sleep_a_second());
  mono_counters_foreach(read_counter_value, &counters);
  end_thread();
  return nullptr;
}

}  // namespace

void start_counters() {
  if (!settings().common.events.counters) return;
  g_running = start_quiet_thread(g_thread, run, nullptr) == 0;
}

void stop_counters() {
  if (!g_running) return;
  pthread_mutex_lock(&g_mutex);
  g_stop = true;
  pthread_cond_signal(&g_changed);
  pthread_mutex_unlock(&g_mutex);
  pthread_join(g_thread, nullptr);
  g_running = false;
}

}  // namespace polytrace::agent::mono
