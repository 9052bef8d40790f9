// SPDX-License-Identifier: Apache-2.0
// All indexes of the cache: listed, tested, removed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "service/input/pass.hpp"

namespace polytrace::service {

struct CachedIndex {
  std::string folder{};
  std::string file{};                            // the trace that it was made of, as far as known
  std::uint64_t bytes = 0;                       // of all that is in the folder
  std::int64_t used = 0;                         // last, nanoseconds since 1970
  IndexStanding standing = IndexStanding::none;  // current: whole, whatever became of its trace
  std::string format{};
  std::uint64_t events = 0;
};

struct CacheAccount {
  std::string folder{};  // of all of them; empty: there is no cache
  std::uint64_t limit = 0;
  std::vector<CachedIndex> indexes{};  // the last used first

  std::uint64_t bytes() const;
};
// `limit` in bytes, as people write them ("500M"); empty: $POLYTRACE_CACHE_LIMIT, else the usual
// one. Errors: usage.
base::result<std::uint64_t> cache_limit(const std::string& limit);
base::result<CacheAccount> list_indexes();

// The path of a trace, in a file of its own beside the index; empty: not known.
void remember_source(const std::string& folder, const std::string& file);
std::string remembered_source(const std::string& folder);

struct BrokenPart {
  std::string frame;  // the letters of its kind
  base::Error error;
};
struct VerifiedIndex {
  std::string file{};
  std::string folder{};
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::vector<BrokenPart> broken{};
  std::optional<bool> is_current{};  // with `full`

  bool is_whole() const { return broken.empty() && is_current.value_or(true); }
};
enum class Verifying : std::uint8_t { checksums, source_too };
// Refusals: open_failed where there is no index.
Asked<VerifiedIndex> verify_index(const std::string& file, const std::string& folder,
                                  Verifying verifying);

struct Dropped {
  std::vector<CachedIndex> gone{};
  std::vector<std::string> busy{};  // folders that somebody uses
  std::uint64_t limit = 0;          // of a pruning

  std::uint64_t bytes() const;
};
// Of a trace, or in a folder that `file` names. Refusals: index_busy, open_failed where there is
// none.
Asked<CachedIndex> drop_index(const std::string& file, const std::string& folder);
base::result<Dropped> drop_all_indexes();
base::result<Dropped> prune_indexes(const std::string& limit);

std::string cache_json(const CacheAccount& account);
std::string verified_json(const VerifiedIndex& verified);
std::string dropped_json(const Dropped& dropped);

}  // namespace polytrace::service
