// SPDX-License-Identifier: Apache-2.0
// Which indexes of a cache go so that it keeps its limit. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace polytrace::store {

// One folder of the cache. Times are nanoseconds since 1970.
struct KeptIndex {
  std::uint64_t bytes = 0;        // of all that is in it
  std::int64_t used = 0;          // when it was last
  bool locked = false;            // somebody uses or builds it
  std::uint64_t draft_bytes = 0;  // of index.pti.new; 0: there is none
  std::int64_t drafted = 0;       // when that was last written to
};

struct Removal {
  enum class What : std::uint8_t { draft, all };
  std::size_t index;  // among those that were given
  What what;

  bool operator==(const Removal&) const = default;
};

inline constexpr std::int64_t kDraftAge = std::int64_t{86'400} * 1'000'000'000;

// Drafts that nobody has written to for a day go whatever the limit. Then whole folders, the one
// that was used longest ago first (of equal ones the first given), until the rest has at most
// `limit` bytes. Never one that is locked.
std::vector<Removal> evictions(std::span<const KeptIndex> kept, std::uint64_t limit,
                               std::int64_t now);

// Of a cache on a file system of so many bytes, where nobody said another one: the less of 20 GiB
// and a tenth of it.
std::uint64_t usual_limit(std::uint64_t file_system);

}  // namespace polytrace::store
