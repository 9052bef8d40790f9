// SPDX-License-Identifier: Apache-2.0
// The container of history.bin: file header, footer and trailer; frames are base's
// (docs/formats/state-history.md, "history.bin").
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/frames/frames.hpp"
#include "base/io/appender.hpp"
#include "base/result.hpp"
#include "history/model/facts.hpp"

namespace polytrace::history {

inline constexpr std::uint16_t kMajor = 1;
inline constexpr std::uint16_t kMinor = 0;
inline constexpr std::size_t kHeaderSize = 96;
inline constexpr std::size_t kTrailerSize = 24;
inline constexpr Tick kBeingBuilt = INT64_MIN;

enum Feature : std::uint64_t {
  kFeatureCompressed = 1,
  kFeatureGaps = 2,
  kFeatureBytes = 4,
  kFeaturesKnown = 7,
};

struct FileHeader {
  std::uint16_t major = kMajor;
  std::uint16_t minor = kMinor;
  std::uint16_t size = kHeaderSize;
  Layout layout = Layout::segmented;
  std::uint64_t required = 0;
  std::uint64_t optional = 0;
  Tick start = 0;
  Tick end = kBeingBuilt;
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::optional<std::int64_t> clock_offset{};
  HistoryId id{};
  std::uint64_t footer_offset = 0;  // in the stream layout: the length of the whole file
};
std::array<std::byte, kHeaderSize> encode(const FileHeader& header);
// Whether these first bytes are those of a history.bin.
bool is_history(base::Bytes head);
// Errors: not_recognised, header_truncated, checksum_wrong, version_unsupported, feature_unknown,
// header_invalid.
base::result<FileHeader> decode_header(base::Bytes file, bool trust = false);

inline constexpr std::uint32_t kKeysFrame = base::frame_kind("KEYS");
inline constexpr std::uint32_t kStringsFrame = base::frame_kind("STRS");
inline constexpr std::uint32_t kRecordsFrame = base::frame_kind("RECS");
inline constexpr std::uint32_t kSegmentFrame = base::frame_kind("SEGM");
inline constexpr std::uint32_t kExitFrame = base::frame_kind("EXIT");
inline constexpr std::uint32_t kFooterFrame = base::frame_kind("FOOT");

struct SegmentPlace {
  Tick first = 0;            // the segment answers from here to the next one's first
  Tick last = 0;             // its last change
  std::uint64_t offset = 0;  // of its frame
  std::uint64_t length = 0;  // of the payload
  std::uint64_t exit = 0;    // offset of its exit table, which fills a frame of its own
  std::uint64_t changes = 0;
};

struct Footer {
  FileHeader header{};
  std::vector<SegmentPlace> segments{};
  std::uint32_t keys = 0;
  std::uint64_t intervals = 0;
  std::uint64_t strings = 0;
  std::vector<std::uint64_t> key_frames{};
  std::vector<std::uint64_t> string_frames{};
};
void encode(const Footer& footer, base::Appender& to);
// By the trailer at the file's end. Nothing when there is none; errors as frame_at and
// decode_header when it leads to no good footer.
base::result<std::optional<Footer>> find_footer(base::Bytes file);
std::array<std::byte, kTrailerSize> encode_trailer(std::uint64_t offset, std::uint32_t length);

}  // namespace polytrace::history
