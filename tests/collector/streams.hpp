// SPDX-License-Identifier: Apache-2.0
// Native streams for tests: cut into as many blocks as wanted, each with a few events.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "collector/keep/block_cutter.hpp"
#include "event/batch.hpp"
#include "format/native/framing.hpp"

namespace polytrace::test {

// The stream of these events, in this order, about so many in each block; with its end.
std::vector<std::byte> native_stream(std::uint64_t stream, const event::Batch& all,
                                     std::size_t events_each);

// Blocks, which own their bytes.
struct OwnBlock {
  std::uint64_t index = 0;
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes{};

  collector::BlockCutter::Block view() const { return {index, offset, bytes}; }
};
// As a cutter tells them, the stream's header first.
std::vector<OwnBlock> blocks_in(base::Bytes stream);

}  // namespace polytrace::test
