// SPDX-License-Identifier: Apache-2.0
// Commands of clients: the control server runs on a thread of the VM, so that it can do what needs
// the VM.
#pragma once

#include "agent/jvm/facts/settings.hpp"
#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

// Before the recorder is started: changes the options as clients need them. Whether there will be a
// server at all.
bool prepare_remote(Settings& settings, Faults& faults);
// Once Java code can run.
void start_remote(JNIEnv* env, const Settings& settings);
// After the recorder was stopped: clients get the rest.
void stop_remote();

}  // namespace polytrace::agent::jvm
