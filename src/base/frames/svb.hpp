// SPDX-License-Identifier: Apache-2.0
// Columns of numbers of 1 to 4 bytes each, with their lengths apart (2 bits, less one, lowest bits
// of a byte first), so that four are decoded at once:
//   u32 count; u8 coding; u32 stored bytes of the lengths; u32 stored bytes of the numbers;
//   lengths; numbers, least byte first, then a varint for each number above kSvbMost, in order,
//   for which 0xffffffff stands among them
// Numbers of either sign are stored as zigzag() (bits.hpp). Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/frames/bits.hpp"
#include "base/raw_array.hpp"
#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::base {

// How bytes are stored: as they are, or as one frame of zstd.
enum class Coding : std::uint8_t { plain = 0, zstd = 1 };

// Appends the bytes as they are or, if that is shorter, compressed, and says which.
Coding append_coded(Bytes raw, std::string& out);
// The bytes again: `stored` itself if it is plain, else what `into` then holds. Errors:
// compressed_damaged, count_too_large if they are more than `most`, value_unexpected of another
// coding.
result<Bytes> read_coded(Bytes stored, std::uint8_t coding, std::size_t most,
                         RawArray<std::byte>& into);

void append_varint(std::uint64_t value, std::string& out);

// --- whole columns ---

// A column may hold this many numbers, however few bytes it takes.
inline constexpr std::size_t kMostSvbNumbers = std::size_t{1} << 23;

// REQUIRES: at most kMostSvbNumbers.
void append_svb(std::span<const std::uint64_t> numbers, std::string& out);
// Takes a column off the front of `bytes`; `into` holds its numbers and nothing else. Errors:
// field_past_end, count_too_large, compressed_damaged, value_unexpected.
result<void> read_svb(Bytes& bytes, std::vector<std::uint64_t>& into,
                      std::size_t most = kMostSvbNumbers);

// --- the parts of a column, for who keeps them apart ---

inline constexpr std::uint64_t kSvbMost = 0xffff'fffe;
inline constexpr std::uint32_t kSvbLarger = 0xffff'ffff;  // its number follows as a varint

inline std::size_t svb_lengths(std::size_t count) { return (count + 3) / 4; }
// Appends svb_lengths() bytes to the one, the numbers to the other.
void encode_svb(std::span<const std::uint32_t> numbers, std::string& lengths, std::string& bytes);
// Fills `into`: how many bytes the numbers take. Empty: there are fewer.
// REQUIRES: svb_lengths(into.size()) bytes of lengths.
std::optional<std::size_t> decode_svb(Bytes lengths, Bytes bytes, std::span<std::uint32_t> into);

}  // namespace polytrace::base
