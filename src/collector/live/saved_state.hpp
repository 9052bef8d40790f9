// SPDX-License-Identifier: Apache-2.0
// What is saved of a stream, as bytes. Pure; thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "collector/aggregate/going_on.hpp"

namespace polytrace::collector {

std::vector<std::byte> state_bytes(const GoingOn& going_on);
// Of a stream that has ended.
std::vector<std::byte> ended_bytes();

struct SavedState {
  bool ended = false;
  GoingOn going_on{};
};
// Nothing: it is of another version, or damaged.
std::optional<SavedState> read_state_bytes(base::Bytes bytes);

}  // namespace polytrace::collector
