// SPDX-License-Identifier: Apache-2.0
// The population of the heap, counted while the runtime walks it behind a collection. One
// collection at a time: the runtime does not collect in the background while we count.
#pragma once

#include "base/types.hpp"

namespace polytrace::agent::coreclr {

// A collection begins; so many are there.
void begin_census(base::Id collection);
// The program is about to run again.
void close_census();
// The program runs again: Census events of what was counted since, each once.
void tell_census();

}  // namespace polytrace::agent::coreclr
