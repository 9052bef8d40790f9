// SPDX-License-Identifier: Apache-2.0
// Checksums (CRC-32C as base/io/crc32c.hpp, for code inside other programs, which has no library),
// those of headers put in last; and the contents of blocks that are not events
// (docs/formats/native.md, sections 2, 3, 6 and 7). Thread-safe.
#pragma once

#include <array>
#include <cstring>

#include "base/types.hpp"
#include "format/native/wire/byte_output.hpp"
#include "format/native/wire/wire.hpp"

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

// The bytes of a header without its checksum, which stands last.
template <class Header>
base::Bytes summed(const Header& header) {
  return std::as_bytes(std::span(&header, 1)).first(sizeof(Header) - sizeof header.crc);
}

inline void seal(StreamHeader& header) { header.crc = checksum(summed(header)); }
// REQUIRES: `payload` is the block's.
inline void seal(BlockHeader& header, base::Bytes payload) {
  header.length = static_cast<std::uint32_t>(payload.size());
  header.payload_crc = checksum(payload);
  header.crc = checksum(summed(header));
}

template <class Header>
bool is_sealed(const Header& header) {
  return header.crc == checksum(summed(header));
}

// A place that allocates. Numbers are the recorder's own, from 0 on.
struct Site {
  std::uint64_t number = 0;
  base::Id class_id = base::kNoId;
  std::uint64_t size = 0;          // of an object, or of an array without its elements
  std::uint64_t element_size = 0;  // not 0: arrays
  base::Id method = base::kNoId;
  std::int64_t byte_code = -1;  // index within the method, -1 = not told
  std::int64_t line = -1;

  bool operator==(const Site&) const = default;
};

// A site block is the number of its sites (var), then these.
inline void put_site(ByteOutput& out, const Site& site) {
  out.var(site.number);
  out.id(site.class_id);
  out.var(site.size);
  out.var(site.element_size);
  out.id(site.method);
  out.zig_zag(static_cast<std::uint64_t>(site.byte_code) + 1);
  out.zig_zag(static_cast<std::uint64_t>(site.line) + 1);
}

// Bytes that an allocation at a site takes; `length` of an array's elements.
constexpr std::uint64_t bytes_at(const Site& site, std::uint64_t length) {
  constexpr std::uint64_t kAlignment = 8;
  if (site.element_size == 0) return site.size;
  const std::uint64_t bytes = site.size + site.element_size * length;
  return (bytes + (kAlignment - 1)) & ~(kAlignment - 1);
}

}  // namespace polytrace::format::native
