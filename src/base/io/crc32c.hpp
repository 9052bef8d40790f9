// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli: reflected polynomial 0x82f63b78, all ones before and after), as in iSCSI.
// Thread-safe.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace polytrace::base {

// The checksum of `bytes` behind those that gave `before`; 0 for none.
std::uint32_t crc32c(Bytes bytes, std::uint32_t before = 0);

}  // namespace polytrace::base
