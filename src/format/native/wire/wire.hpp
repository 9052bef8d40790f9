// SPDX-License-Identifier: Apache-2.0
// The fixed layouts of polytrace's own stream and of its segment file: docs/formats/native.md.
// Used by this format and, inside other programs, by the agents: nothing here needs a library.
// All fields are little endian, as is every machine that is recorded.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace polytrace::format::native {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::uint64_t kStreamMagic = 0x0a45434152545089;    // 89 "PTRACE" 0a
inline constexpr std::uint64_t kSegmentsMagic = 0x0a53474553545089;  // 89 "PTSEGS" 0a
inline constexpr std::uint32_t kBlockMark = 0x4b4c4250;              // "PBLK"
inline constexpr std::uint32_t kSegmentMark = 0x47455350;            // "PSEG"
inline constexpr std::uint16_t kMajor = 1;
inline constexpr std::uint16_t kMinor = 0;
inline constexpr std::uint32_t kMaxPayload = 16U << 20;
inline constexpr std::uint64_t kNoThread = ~std::uint64_t{0};

struct StreamHeader {
  std::uint64_t magic = kStreamMagic;
  std::uint16_t major = kMajor;
  std::uint16_t minor = kMinor;
  std::uint32_t flags = 0;
  std::uint64_t stream = 0;
  std::uint32_t reserved = 0;
  std::uint32_t crc = 0;  // of the 28 bytes before
};
static_assert(sizeof(StreamHeader) == 32);

enum class Content : std::uint8_t { events = 1, clock = 2, sites = 3, end = 4 };
inline constexpr std::uint8_t kManyThreads = 1;    // flags of a block
inline constexpr std::uint8_t kEarlierEvents = 2;  // an event is earlier than the first tick

struct BlockHeader {
  std::uint32_t mark = kBlockMark;
  std::uint32_t length = 0;  // of the payload
  Content content = Content::events;
  std::uint8_t flags = 0;
  std::uint16_t reserved = 0;
  std::uint32_t events = 0;
  std::uint64_t index = 0;
  std::uint64_t thread = kNoThread;
  std::uint64_t first_tick = 0;
  std::uint64_t last_tick = 0;
  std::uint64_t segment = 0;
  std::uint32_t words_before = 0;
  std::uint32_t words_after = 0;
  std::uint32_t payload_crc = 0;
  std::uint32_t crc = 0;  // of the 68 bytes before
};
static_assert(sizeof(BlockHeader) == 72);

struct ClockLine {
  std::uint64_t tick0 = 0;
  std::int64_t time0 = 0;
  std::uint64_t rate = std::uint64_t{1} << 32;  // nanoseconds per tick x 2^32
};
static_assert(sizeof(ClockLine) == 24);

// The lowest two bits of a record's first byte.
enum class Call : std::uint8_t { other = 0, enter = 1, leave_last = 2, leave = 3 };
// Of the difference of a call's tick, in bits 2 to 6 of its first byte.
inline constexpr unsigned kCallTickBits = 5;
inline constexpr std::uint64_t kCallTickMask = (std::uint64_t{1} << kCallTickBits) - 1;
// Bits 2 to 7 where those are kOther.
enum class Record : std::uint8_t {
  event = 1,
  thread = 2,
  jump = 3,
  unwind_last = 4,
  unwind = 5,
  alloc = 6,
  alloc_array = 7
};

// --- segments ---

inline constexpr std::size_t kUnit = 4096;

enum class SegmentsState : std::uint32_t { live = 1, closed = 2 };

struct SegmentsHeader {
  std::uint64_t magic = kSegmentsMagic;
  std::uint16_t major = kMajor;
  std::uint16_t minor = kMinor;
  std::uint32_t process = 0;
  std::uint64_t stream = 0;
  std::uint64_t units = 0;
  SegmentsState state = SegmentsState::live;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(SegmentsHeader) == 40);

enum class SegmentState : std::uint32_t { free = 0, open = 1, full = 2, written = 3 };
enum class SegmentContent : std::uint32_t { words = 1, records = 2 };

struct SegmentHeader {
  std::uint32_t mark = kSegmentMark;
  std::uint32_t units = 0;
  SegmentState state = SegmentState::free;
  SegmentContent content = SegmentContent::words;
  std::uint64_t thread = kNoThread;
  std::uint64_t number = 0;
  std::uint64_t base_tick = 0;
  std::uint32_t bytes = 0;  // of complete records, where that is the content
  std::uint32_t reserved[5] = {};
};
static_assert(sizeof(SegmentHeader) == 64);
// BlockHeader::segment of blocks that come from records rather than words.
inline constexpr std::uint64_t kFromRecords = std::uint64_t{1} << 63;

// A word of a segment: bits 0-1 what it is, 2-25 its argument, 26-63 ticks since the base.
enum class Word : std::uint8_t { none = 0, enter = 1, leave = 2, escape = 3 };
enum class Escape : std::uint8_t { event = 0, alloc = 1, alloc_array = 2, thread = 3, unwind = 4 };
inline constexpr unsigned kTickShift = 26;
inline constexpr unsigned kMethodShift = 2;
inline constexpr std::uint64_t kMaxMethod = (std::uint64_t{1} << 24) - 1;
inline constexpr unsigned kEscapeShift = 2;    // of the type, three bits
inline constexpr unsigned kArgumentShift = 5;  // of an escape's argument, 21 bits
inline constexpr std::uint64_t kMaxArgument = (std::uint64_t{1} << 21) - 1;
inline constexpr std::uint64_t kMaxTicks = (std::uint64_t{1} << 38) - 1;
// Set in every word that follows an escape of type kAllocArray, kThread or kUnwind.
inline constexpr std::uint64_t kFollows = std::uint64_t{1} << 63;

constexpr std::uint64_t call_word(Word call, std::uint64_t method, std::uint64_t ticks) {
  return static_cast<std::uint64_t>(call) | method << kMethodShift | ticks << kTickShift;
}
constexpr std::uint64_t escape_word(Escape type, std::uint64_t argument, std::uint64_t ticks) {
  return static_cast<std::uint64_t>(Word::escape) |
         static_cast<std::uint64_t>(type) << kEscapeShift | argument << kArgumentShift |
         ticks << kTickShift;
}

}  // namespace polytrace::format::native
