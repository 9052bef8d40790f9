// SPDX-License-Identifier: Apache-2.0
// The blocks around a moment, fetched from the collector that keeps them, as a trace of its own.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "base/text/json_writer.hpp"
#include "fleet/moments/moment.hpp"

namespace polytrace::fleet {

inline constexpr std::uint64_t kBlocksBehind = 50;
// Before the moment's: where its beginning is in none of them, the next.
inline constexpr std::array<std::uint64_t, 3> kBlocksBefore = {50, 250, 970};
inline constexpr std::uint64_t kMostBlocks = kBlocksBefore.back() + 1 + kBlocksBehind;

// Blocks of a stream as a trace.
struct FetchedBlocks {
  std::vector<std::byte> trace{};
  // How many of those asked for are in it, its last but for its end; nothing: that is not told.
  std::optional<std::uint64_t> blocks{};
};
struct BlocksOrder {
  std::uint64_t stream = 0;
  std::uint64_t first = 0, last = 0;
  // Of those from `had_from` on so many are had, and left out.
  std::uint64_t had_from = 0, had = 0;
};
using FetchBlocks = std::function<base::result<FetchedBlocks>(const BlocksOrder& order)>;

// Who hands out blocks: a collector's port, where its /metrics are, or a hub, which asks the edge
// that has them.
struct Edge {
  std::string url{};
  std::string token{};
  std::string ca{};  // whose certificates are believed; empty: those that the system believes
  std::chrono::milliseconds within{60'000};
};
// `stop`, where it is told, outlives what is returned; once true nobody waits. Errors: those of
// warehouse::fetch().
FetchBlocks from_edge(Edge edge, const std::atomic<bool>* stop = nullptr);

struct Piece {
  std::vector<std::byte> trace{};
  Sighting seen{};
  std::uint64_t first = 0, last = 0;  // its blocks, as they were asked for
};
// Errors: those of `fetch`, and of a trace that cannot be read.
base::result<Piece> get_piece(const Moment& moment, const FetchBlocks& fetch);

// Members of the object that is open: what is known of a moment, and of its piece.
void write_moment(base::JsonWriter& json, const Moment& moment, const Piece& piece);
// The commands to go on with, where the piece is in the file of that name, as a shell reads it.
std::vector<std::string> next_commands(const Moment& moment, const Sighting& seen,
                                       const std::string& file);

}  // namespace polytrace::fleet
