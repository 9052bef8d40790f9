// SPDX-License-Identifier: Apache-2.0
// What a file is known by, whatever its name and place: XXH3-128 of its size and of so little of it
// that a file of any size takes a millisecond. Two files that differ only between the pieces look
// the same. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/io/content_hash.hpp"
#include "base/result.hpp"

namespace polytrace::base {

using Fingerprint = Digest;

// Of the first `size` bytes of an open file: the size, then either all bytes, or, of more than
// kFingerprintWhole, the first and the last 64 KiB and between them 62 pieces of 4 KiB at equal
// distances. Errors: read_failed, also where the file is shorter.
result<Fingerprint> fingerprint(int descriptor, std::uint64_t size);

inline constexpr std::uint64_t kFingerprintEnds = 64 * 1024;
inline constexpr std::uint64_t kFingerprintPiece = 4 * 1024;
inline constexpr std::uint64_t kFingerprintPieces = 62;
inline constexpr std::uint64_t kFingerprintWhole =
    2 * kFingerprintEnds + kFingerprintPieces * kFingerprintPiece;

// 32 digits, most significant byte first.
std::string to_hex(const Digest& digest);

}  // namespace polytrace::base
