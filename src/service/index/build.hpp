// SPDX-License-Identifier: Apache-2.0
// Indexes are made here, and what one holds is told. The trace is a file: a stream would have to be
// read again to know whether its index is current.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "service/input/pass.hpp"
#include "store/file/directory.hpp"

namespace polytrace::service {

// Of one kind of frame.
struct FrameSum {
  std::string kind{};  // its letters: "CALL"
  std::string_view holds{};
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;  // with their heads
};

// What is known of an index, without reading its trace.
struct IndexAccount {
  std::string file{};    // the trace, as far as known
  std::string folder{};  // where the index is, or would be
  IndexStanding standing = IndexStanding::none;
  std::string detail{};     // why it is stale or damaged
  std::uint64_t bytes = 0;  // of its file
  std::string format{};     // of the trace, with its version
  std::uint64_t source_size = 0;
  std::uint64_t source_bytes = 0;  // covered, unpacked, up to where its last piece begins
  store::Totals totals{};
  std::vector<FrameSum> frames{};       // the largest first
  std::vector<base::Notice> notices{};  // of reading the trace
  std::optional<base::Error> error{};

  bool is_there() const { return bytes != 0; }
};
Asked<IndexAccount> index_account(const std::string& file, const std::string& folder);

struct BuiltIndex {
  Reading reading{};
  IndexAccount account{};
  bool was_current = false;                // nothing had to be done
  bool written = true;                     // false: stopped before its end
  std::optional<base::Notice> replaced{};  // what was there before
  std::uint64_t evicted = 0;               // indexes that made room in the cache
};
// A damaged trace has an index of what could be read of it. The input's IndexOptions say where.
// Refusals: usage (no file), index_busy, those of the trace and of the index's file.
Asked<BuiltIndex> build_index(const Input& input);

// {"schema": "polytrace.index/1", "indexes": [...]}
std::string index_json(std::span<const IndexAccount> accounts);
std::string index_json(std::span<const BuiltIndex> built);

// "none", "current", "stale", "damaged", "building"
std::string_view word_of(IndexStanding standing);

}  // namespace polytrace::service
