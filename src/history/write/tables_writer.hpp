// SPDX-License-Identifier: Apache-2.0
// The tables that give each segment its checkpoints: the state of every timeline before the
// segment, and its next change after it (docs/formats/state-history.md, "Tables").
#pragma once

#include <span>

#include "base/io/appender.hpp"
#include "history/layout/key_list.hpp"

namespace polytrace::history {

// `states` and `next` are by index of the timeline. Each returns the bytes that its times take.
std::size_t put_entry_table(base::Appender& to, const KeyList& keys, std::span<const State> states);
void put_exit_table(base::Appender& to, const KeyList& keys, std::span<const Tick> next);

}  // namespace polytrace::history
