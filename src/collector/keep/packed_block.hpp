// SPDX-License-Identifier: Apache-2.0
// Blocks of rows as bytes: compressed, with a checksum. Pure; thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "base/types.hpp"
#include "collector/send/blocks.hpp"

namespace polytrace::collector {

// What one takes at most when it is unpacked.
inline constexpr std::size_t kMostPacked = std::size_t{256} << 20;

// Empty: it is larger than that, or memory is missing.
std::vector<std::byte> pack(const Block& block);
// Nothing: the bytes are damaged, of no table that is known, or larger than that.
std::optional<Block> unpack(base::Bytes bytes, std::size_t most = kMostPacked);
// How many bytes they say to be when they are unpacked; nothing: they do not say it.
std::optional<std::uint64_t> unpacked_size(base::Bytes bytes);

}  // namespace polytrace::collector
