// SPDX-License-Identifier: Apache-2.0
// What the stream says about the program and the recording before anything else.
#pragma once

#include "agent/jvm/facts/settings.hpp"

namespace polytrace::agent::jvm {

// `options` as the user gave them; secrets are not told.
void tell_process(std::string_view options);
void tell_settings(const Settings& settings, const Plan& plan);

}  // namespace polytrace::agent::jvm
