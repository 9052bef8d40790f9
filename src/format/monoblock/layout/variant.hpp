// SPDX-License-Identifier: Apache-2.0
// The three forms on disk and the INTRO block that tells them apart (docs/formats/monoblock.md,
// section 3). Pure.
#pragma once

#include <array>
#include <string_view>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::format::monoblock {

enum class Variant : std::uint8_t { review, shipped10, shipped6 };

inline constexpr std::array<std::string_view, 3> kVariantNames{"review", "shipped10", "shipped6"};

enum class BlockCode : std::uint16_t {
#define BLOCK(code, identifier, ...) identifier = code,
#include "format/monoblock/layout/blocks.def"
#undef BLOCK
};

// What the INTRO at the start of a file says.
struct FileHead {
  Variant variant = Variant::review;
  std::uint64_t counter = 0;
  std::uint64_t time = 0;  // microseconds since the Unix epoch

  bool shipped() const { return variant != Variant::review; }
  std::size_t header_bytes() const { return variant == Variant::shipped10 ? 10 : 6; }
};

// The longest time that the events can hold.
inline constexpr std::uint64_t kLastMicrosecond = std::uint64_t{INT64_MAX} / 1000;
// An INTRO of known version is no longer than this.
inline constexpr std::size_t kHeadRoom = 64;

// Whether the bytes begin like a file of any variant, version or fork.
bool looks_like_monoblock(base::Bytes head);
// `head` is the file's first kHeadRoom bytes, or all of them.
base::result<FileHead> read_head(base::Bytes head);

// Ticks of the counter in a second, by the line through the file's first pair and this one; 0 when
// they do not tell.
std::uint64_t ticks_per_second(const FileHead& file, std::uint64_t counter, std::uint64_t time);

// A block's header. REQUIRES: file.header_bytes() bytes.
BlockCode block_code(base::Bytes block);
// Bytes of the whole block; 0 when the header tells an impossible size.
std::size_t block_bytes(const FileHead& file, base::Bytes block, const base::Limits& limits);

}  // namespace polytrace::format::monoblock
