// SPDX-License-Identifier: Apache-2.0
#include "base/frames/fingerprint.hpp"

namespace polytrace::base {
namespace {

result<void> add_pieces(ContentHash& hash, int descriptor, std::uint64_t size) {
  if (size <= kFingerprintWhole) return hash.add_file(descriptor, 0, size);
  if (auto added = hash.add_file(descriptor, 0, kFingerprintEnds); !added) return added;
  const std::uint64_t between = size - 2 * kFingerprintEnds - kFingerprintPiece;
  for (std::uint64_t i = 0; i < kFingerprintPieces; ++i) {
    // Without a product that could overflow.
    const std::uint64_t at = kFingerprintEnds + i * (between / (kFingerprintPieces - 1));
    if (auto added = hash.add_file(descriptor, at, kFingerprintPiece); !added) return added;
  }
  return hash.add_file(descriptor, size - kFingerprintEnds, kFingerprintEnds);
}

}  // namespace

result<Fingerprint> fingerprint(int descriptor, std::uint64_t size) {
  ContentHash hash;
  hash.add(std::as_bytes(std::span(&size, 1)));
  if (auto added = add_pieces(hash, descriptor, size); !added) return Unexpected(added.error());
  return hash.digest();
}

std::string to_hex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::byte one : digest) {
    hex += kDigits[std::to_integer<std::size_t>(one >> 4)];
    hex += kDigits[std::to_integer<std::size_t>(one & std::byte{15})];
  }
  return hex;
}

}  // namespace polytrace::base
