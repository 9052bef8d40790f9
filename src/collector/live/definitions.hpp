// SPDX-License-Identifier: Apache-2.0
// What of a stream's blocks later ones need, and nothing else, as blocks again: definitions and
// what is said of the whole, clocks and places that allocate. Thread-safe.
#pragma once

#include <vector>

#include "base/types.hpp"
#include "event/batch.hpp"

namespace polytrace::collector {

// Whether the block is of those that the reader needs whole: clocks, sites.
bool is_context(base::Bytes block);
// Whether it is the stream's end.
bool is_end(base::Bytes block);
// Blocks with the definitions of the batch, their times in nanoseconds: to be read by a reader
// that was told no clocks. All have the index of the block that they were in. Empty where there are
// none.
std::vector<std::byte> definitions_of(const event::Batch& batch, std::uint64_t index);
// Blocks of the batch, likewise.
std::vector<std::byte> blocks_with(const event::Batch& batch, std::uint64_t index);

}  // namespace polytrace::collector
