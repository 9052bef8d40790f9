// SPDX-License-Identifier: Apache-2.0
// gzip (several members in a row too) and zstd streams as sources. What can be inflated before a
// cut or a damage is delivered; end_fault() then tells which it was.
#pragma once

#include <memory>

#include "base/io/source.hpp"

namespace polytrace::base {

enum class Compression : std::uint8_t { none, gzip, zstd };

Compression recognise_compression(Bytes head);

// REQUIRES: compression is not none.
std::unique_ptr<Source> decompress(Compression compression, std::unique_ptr<Source> source,
                                   const Limits& limits);

}  // namespace polytrace::base
