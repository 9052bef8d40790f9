// SPDX-License-Identifier: Apache-2.0
// Frames: what the files of histories and indexes are made of (docs/formats/state-history.md,
// "Frames"). A head of 24 bytes with the checksums of itself and of the payload, then the payload;
// each begins at a multiple of 8.
#pragma once

#include <array>
#include <string>

#include "base/raw_array.hpp"
#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::base {

inline constexpr std::size_t kFrameHeadSize = 24;
inline constexpr std::uint64_t kFrameAlignment = 8;

// "SEGM" as the number that its four bytes make.
constexpr std::uint32_t frame_kind(const char (&letters)[5]) {
  std::uint32_t kind = 0;
  for (unsigned i = 4; i-- > 0;) kind = kind << 8 | static_cast<unsigned char>(letters[i]);
  return kind;
}
std::string frame_name(std::uint32_t kind);

struct FrameHead {
  std::uint32_t kind = 0;
  std::uint32_t flags = 0;
  std::uint64_t length = 0;
  std::uint32_t checksum = 0;

  static constexpr std::uint32_t kCompressed = 1;
  bool may_be_skipped() const { return (kind & 0x20) != 0; }
};
std::array<std::byte, kFrameHeadSize> encode(const FrameHead& head);

struct Frame {
  FrameHead head{};
  std::uint64_t offset = 0;
  Bytes payload{};  // as it stands in the file

  // Of the first byte behind the payload.
  std::uint64_t end() const { return offset + kFrameHeadSize + head.length; }
};
// The frame at `offset`. The payload's checksum is tested unless `trust`. Errors: frame_truncated,
// checksum_wrong, value_unexpected (unknown flags).
result<Frame> frame_at(Bytes file, std::uint64_t offset, bool trust = false);
inline std::uint64_t next_frame(std::uint64_t end) {
  return (end + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
}

// A frame's payload, inflated where it is compressed; `room` keeps it then. Errors:
// compressed_damaged, limit_exceeded.
result<Bytes> content(const Frame& frame, RawArray<std::byte>& room, std::uint64_t most);

}  // namespace polytrace::base
