// SPDX-License-Identifier: Apache-2.0
// What stands at the head of a recording, and who may command it.
#pragma once

#include <string>

#include "agent/common/tools/faults.hpp"

namespace polytrace::agent::mono {

// Program, settings and filters; `options` as the user wrote them.
void tell_session(const char* options);
// "mono 6.8.0.105 (...)"
std::string runtime_name();

// Reads what the settings say of control, before the recorder starts; they may change.
void prepare_server(const char* options, Faults& faults);
// Opens what was prepared, if anything; says on stderr what cannot be.
void start_server();
// After the recorder has stopped: clients get the rest.
void stop_server();

}  // namespace polytrace::agent::mono
