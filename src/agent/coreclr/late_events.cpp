// SPDX-License-Identifier: Apache-2.0
// Where allocations are recorded, the runtime's events are asked for when the program's own first
// method is about to run. Asked for before, .NET would describe its events to itself while it
// starts: some 7,000 objects and 600 KB that nobody could tell from the program's. Asked for then,
// the same happens inside our question, on the thread that asks.
#include <atomic>
#include <cstdio>

#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/framework.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

std::atomic<bool> g_waiting = false;
thread_local constinit bool t_own_work __attribute__((tls_model("initial-exec"))) = false;

bool is_the_programs(RuntimeId function) {
  RuntimeId type = 0, module = 0;
  std::uint32_t token = 0;
  return ask(info::kGetFunctionInfo2, function, 0, &type, &module, &token, 0, nullptr, nullptr) &&
         module != 0 && !is_of_framework(module);
}

}  // namespace

bool events_wait() { return wants_events() && settings().common.events.alloc != AllocMode::none; }

bool start_events() {
  if (!events_wait()) return start_event_session();
  g_waiting = true;
  return true;
}

void start_waiting_events(RuntimeId function) {
  if (!g_waiting.load(std::memory_order_relaxed) || !is_the_programs(function)) return;
  if (!g_waiting.exchange(false)) return;
  t_own_work = true;
  if (!start_event_session())
    std::fputs("polytrace: the runtime refuses its events; collections and waits are not told\n",
               stderr);
  t_own_work = false;
}

bool is_own_work() { return t_own_work; }

}  // namespace polytrace::agent::coreclr
