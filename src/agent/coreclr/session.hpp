// SPDX-License-Identifier: Apache-2.0
// What stands at the head of a recording, and who may command it.
#pragma once

#include <string>

#include "agent/common/tools/faults.hpp"

namespace polytrace::agent::coreclr {

// Program, settings and filters; `options` as the user wrote them.
void tell_session(const char* options);

// Reads what the settings say of control, before the recorder starts; they may change.
void prepare_server(const char* options, Faults& faults);
// Opens what was prepared, if anything; says on stderr what cannot be.
void start_server();
// After the recorder has stopped: clients get the rest.
void stop_server();

}  // namespace polytrace::agent::coreclr
