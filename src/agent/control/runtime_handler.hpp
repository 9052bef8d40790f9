// SPDX-License-Identifier: Apache-2.0
// Commands from outside for the agent of a runtime that does not mind who asks: they run on the
// server's own thread. One server per process.
#pragma once

#include <string_view>

#include "agent/common/options/options.hpp"
#include "agent/common/tools/faults.hpp"
#include "agent/control/protocol/handler.hpp"

namespace polytrace::agent::control {

// What only the agent can do, or say of its runtime.
struct Runtime {
  Facts (*facts)();
  Reply (*heap_dump)(std::string_view name);  // only while it records
  Reply (*run_gc)();
  bool (*prepare)();  // a recording is to begin; false: there can be none
  void (*begun)();    // it has begun: what is told first in it
};

// Reads what the options say of control, before the recorder starts; they may change.
void prepare_server(Options& options, Faults& faults);
// Opens what was prepared, if anything; says on stderr what cannot be.
void start_server(const Options& options, const Runtime& runtime);
// After the recorder has stopped: clients get the rest.
void stop_server();

}  // namespace polytrace::agent::control
