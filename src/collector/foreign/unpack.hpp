// SPDX-License-Identifier: Apache-2.0
// Bytes that somebody sent, without gzip or zstd around them, as far as that is no bomb. Pure;
// thread-safe.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::collector {

inline constexpr std::size_t kMostUnpacked = std::size_t{64} << 20;
inline constexpr std::size_t kMostRatio = 200;  // of what is larger than a MiB

// At most `most` bytes. Errors: limit_exceeded; what is wrong with the packing.
base::result<std::vector<std::byte>> unpacked(base::Bytes packed, std::size_t most = kMostUnpacked);

}  // namespace polytrace::collector
