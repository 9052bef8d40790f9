// SPDX-License-Identifier: Apache-2.0
// Where the rows of a stream end, by whoever has them: what a collector asks whose folder is gone.
// One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collector/config/config.hpp"
#include "warehouse/rows.hpp"

namespace polytrace::collector {

class Positions {
 public:
  virtual ~Positions() = default;
  Positions(const Positions&) = delete;
  Positions& operator=(const Positions&) = delete;

  // The furthest row of that stream in `streams`; nothing: there is none. `database`: of the
  // tenant, empty: the store's own; a hub goes by who asks. Takes some seconds at most. Errors say
  // who gave no answer, and why: then nobody knows whether there is one.
  using Found = base::result<std::optional<warehouse::Stream>>;
  virtual Found find(std::uint64_t stream, const std::string& database) = 0;

 protected:
  Positions() = default;
};

// Of the store itself, all its shards.
std::unique_ptr<Positions> store_positions(const Config& config);
// POST kPositionPath<16 hexadecimal digits> of each hub, one after the other: any of them may have
// had the stream's rows. Errors: library_missing, open_failed (the file of the token).
base::result<std::unique_ptr<Positions>> hub_positions(const Config& config);

inline constexpr std::string_view kPositionPath = "/v1/streams/";
// What a hub waits until its own rows are in the store, and an edge for a hub.
inline constexpr std::chrono::seconds kRowsWithin{5};
inline constexpr std::chrono::seconds kPositionWithin{8};

}  // namespace polytrace::collector
