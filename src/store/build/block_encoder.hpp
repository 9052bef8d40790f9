// SPDX-License-Identifier: Apache-2.0
// Writes closed blocks as payloads of CALL frames, what became known of calls since as CEND, and
// paths as PATH. Any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/build/open_block.hpp"

namespace polytrace::store {

struct PathMethod {
  std::uint32_t path;
  std::uint32_t method;  // index
};

// What the directory and the sums of a thread need to know of a block.
struct EncodedBlock {
  BlockHead head;
  std::uint64_t number = 0;
  std::uint64_t events = 0;           // of the source
  std::vector<PathSum> sums;          // in no order; a merged path may come more than once
  std::vector<PathMethod> methods{};  // of its paths that have one; likewise
  std::string plain{};                // the payload without compression, where it is wanted
};

// Appends to `payload`. Who looks at the block again at once wants it plain, too.
enum class Plain : std::uint8_t { unwanted, wanted };
EncodedBlock encode_block(const OpenBlock& block, std::string& payload,
                          Plain plain = Plain::unwanted);

// REQUIRES: sorted by `call`.
void append_ends(std::span<const CallEnd> ends, std::string& payload);

// Paths [first, first + count).
void append_paths(const PathTable& paths, std::uint32_t first, std::uint32_t count,
                  std::string& payload);

}  // namespace polytrace::store
