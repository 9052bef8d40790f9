// SPDX-License-Identifier: Apache-2.0
// CRC-32C as base/io/crc32c.hpp, for code inside other programs, which has no library. Thread-safe.
#pragma once

#include <array>
#include <cstring>

#include "base/types.hpp"

namespace polytrace::format::native {

inline constexpr auto kChecksums = [] {
  constexpr std::uint32_t kPolynomial = 0x82f63b78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? kPolynomial : 0);
    table[byte] = sum;
  }
  return table;
}();

inline std::uint32_t checksum_portable(base::Bytes bytes) {
  std::uint32_t sum = ~std::uint32_t{0};
  for (const std::byte byte : bytes)
    sum = kChecksums[(sum ^ static_cast<std::uint32_t>(byte)) & 0xff] ^ sum >> 8;
  return ~sum;
}

#ifdef __x86_64__
// REQUIRES: a processor that has the instruction.
__attribute__((target("sse4.2"))) inline std::uint32_t checksum_by_instruction(base::Bytes bytes) {
  std::uint64_t sum = ~std::uint32_t{0};
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= sizeof sum; left -= sizeof sum, at += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    sum = __builtin_ia32_crc32di(sum, word);
  }
  auto rest = static_cast<std::uint32_t>(sum);
  for (; left != 0; --left) rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(*at++));
  return ~rest;
}
inline std::uint32_t checksum(base::Bytes bytes) {
  return __builtin_cpu_supports("sse4.2") != 0 ? checksum_by_instruction(bytes)
                                               : checksum_portable(bytes);
}
#else
inline std::uint32_t checksum(base::Bytes bytes) { return checksum_portable(bytes); }
#endif

}  // namespace polytrace::format::native
