// SPDX-License-Identifier: Apache-2.0
#include "base/io/crc32c.hpp"

#include <isa-l/crc.h>

#include <algorithm>

namespace polytrace::base {

std::uint32_t crc32c(Bytes bytes, std::uint32_t before) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // the library counts in int
  std::uint32_t sum = ~before;
  while (!bytes.empty()) {
    const Bytes part = bytes.first(std::min(bytes.size(), kMost));
    // The library reads only, though its parameter says otherwise.
    auto* const from = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(part.data()));
    sum = crc32_iscsi(from, static_cast<int>(part.size()), sum);
    bytes = bytes.subspan(part.size());
  }
  return ~sum;
}

}  // namespace polytrace::base
