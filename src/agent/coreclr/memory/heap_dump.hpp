// SPDX-License-Identifier: Apache-2.0
// Snapshots of the heap: a collection by command, and behind it every object with its references.
// The program stands still meanwhile. What the roots are is told where the runtime walks the heap
// at each collection anyhow, for a census.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/coreclr/runtime/abi.hpp"

namespace polytrace::agent::coreclr {

struct DumpResult {
  bool whole = false;
  std::uint64_t objects = 0;
  std::uint64_t references = 0;
};
// Events Dump, Root, DumpObject. One at a time, on a thread that runs no managed code.
DumpResult dump_heap(std::string_view name);

// A snapshot is being taken, and this is an object of it.
bool dumps();
void dump_object(RuntimeId object, RuntimeId type, const RuntimeId* references,
                 std::uint32_t count);

}  // namespace polytrace::agent::coreclr
