// SPDX-License-Identifier: Apache-2.0
// How far a stream's rows are, as a row of `streams`: what a collector that has lost its folder
// needs to go on with it. A row stands behind all rows of its blocks, wherever it goes. Pure;
// thread-safe.
#pragma once

#include <optional>
#include <string>

#include "collector/aggregate/aggregator.hpp"
#include "collector/keep/checkpoint.hpp"

namespace polytrace::collector {

// Of a stream that has more open calls than this tells, nobody but its own folder knows how to go
// on.
inline constexpr std::size_t kMostPositionBytes = std::size_t{64} << 10;

// `made`: its rows, up to there. Of two rows of a stream the further one has the higher version;
// the same position makes the same row, but for `touched`: seconds, when it was told. Nothing:
// there is more to tell than kMostPositionBytes.
std::optional<warehouse::Stream> position_of(std::uint64_t stream, const Saved& saved,
                                             const Aggregator& made, const std::string& edge,
                                             std::uint32_t touched);
// What Checkpoint::adopt() takes; nothing: it is damaged, or of a program that tells it otherwise.
std::optional<Saved> saved_of(const warehouse::Stream& row);

}  // namespace polytrace::collector
