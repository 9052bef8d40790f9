// SPDX-License-Identifier: Apache-2.0
// Page 0 of an index: what it is of, and the two slots of which the later valid one says where the
// last whole state ends (docs/formats/index.md, "Page 0").
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/frames/fingerprint.hpp"
#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::store {

inline constexpr std::uint16_t kMajor = 1;
inline constexpr std::uint16_t kMinor = 0;
inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPageHeadBytes = 256;
inline constexpr std::size_t kSlotBytes = 64;
// Changes with everything that makes the same source another index: those of another number are
// built anew.
inline constexpr std::uint32_t kRules = 4;

using Digest = base::Fingerprint;  // or an id, or a hash

enum Feature : std::uint64_t {
  kCallDetails = 1,
  kExplicitStacks = 2,
  kLateTimes = 4,
  kMergedPaths = 8,
  kFeaturesKnown = 15,
};

struct SourceFacts {
  std::uint64_t size = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970
  std::int64_t changed = 0;   // its status was, as modified

  bool operator==(const SourceFacts&) const = default;
};

struct PageHead {
  std::uint64_t required = 0;
  std::uint64_t optional = 0;
  Digest id{};           // random
  Digest fingerprint{};  // of the source, by base::fingerprint()
  Digest covered{};      // of its covered part
  Digest whole{};        // XXH3-128 of all bytes of the source; zeros: not known
  SourceFacts source{};
  std::uint32_t rules = kRules;
  std::uint32_t kinds = 0;  // how many kinds of event were known
  std::string format{};     // name and version, at most 32 bytes
  std::uint64_t live = 0;   // live id; 0: the source never grew
  std::int64_t looked = 0;  // when, before `whole` was made, `source` was looked up, as modified
};
std::array<std::byte, kPageHeadBytes> encode(const PageHead& head);
// Errors: not_recognised, header_truncated, checksum_wrong, version_unsupported, feature_unknown.
base::result<PageHead> decode_page_head(base::Bytes file);

enum class IndexState : std::uint32_t { building = 1, caught_up = 2, complete = 3 };

struct Slot {
  std::uint64_t sequence = 0;  // from 1
  std::uint64_t root = 0;      // offset and payload length of the root's frame
  std::uint32_t root_length = 0;
  IndexState state = IndexState::building;
  std::uint64_t source_bytes = 0;  // covered, unpacked
  std::uint64_t events = 0;        // covered
  base::Time watermark = base::kNoTime;
  std::uint64_t length = 0;  // of the file then
};
std::array<std::byte, kSlotBytes> encode(const Slot& slot);
// Where the slot of this sequence stands.
std::uint64_t slot_offset(std::uint64_t sequence);
// The slot of the sequences of this parity; nothing where none is valid.
std::optional<Slot> slot_of(base::Bytes page, std::uint64_t parity);

}  // namespace polytrace::store
