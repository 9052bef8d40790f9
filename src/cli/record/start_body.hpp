// SPDX-License-Identifier: Apache-2.0
// What `polytrace control TARGET start` may say about the recording that begins.
#pragma once

#include <span>
#include <string>

#include "agent/control/protocol/frames.hpp"

namespace polytrace::cli {

// Adds `words` to the body of START: events=LIST, duration=TIME, limit=BYTES, session=NAME. Gives
// what is wrong with them, "" for nothing.
std::string add_start(agent::control::Body& body, std::span<const std::string> words);

}  // namespace polytrace::cli
