// SPDX-License-Identifier: Apache-2.0
// Rows as a store takes them: blocks of one table and one of its partitions for one of its shards,
// which has them whole or not at all, each with what `batches` says of it. Pure functions;
// thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/io/appender.hpp"
#include "collector/aggregate/rows.hpp"

namespace polytrace::collector {

// Of the rows of one hour.
struct HourTotal {
  std::uint32_t hour = 0;
  std::uint32_t rows = 0;
  std::uint64_t count = 0;  // calls, objects ...: the sum of the table's first figure
  std::uint64_t weight = 0;

  bool operator==(const HourTotal&) const = default;
};

// Whose batch it is that came over the network; empty: our own.
struct Origin {
  std::string edge{};
  std::uint64_t number = 0;
  std::uint32_t sent_before = 0;  // how often it may have been taken already, by whomever

  bool operator==(const Origin&) const = default;
};

struct Block {
  std::string_view table;
  std::string columns;
  std::uint32_t day = 0;    // since 1970; of what is kept by the month its first
  std::uint32_t shard = 0;  // whose it is: that of its series, or of what else has an id
  std::uint64_t rows = 0;
  base::Appender bytes{};
  // The same rows as they came, packed; outlives it. Empty: they did not.
  base::Bytes packed{};
  std::vector<HourTotal> totals{};  // of facts: by hour
  std::string database{};           // of a tenant; empty: the store's own
  Origin origin{};
};

inline constexpr std::size_t kMostRowsOfBlock = 500'000;
// A further row begins another block: what a hub takes at once is twice that.
inline constexpr std::size_t kEnoughBytesOfBlock = std::size_t{32} << 20;
// The same where each block is to fit a message of a bus, which has 1 MiB, packed or not.
inline constexpr std::size_t kEnoughBytesOfMessage = std::size_t{768} << 10;

// Equal rows make equal blocks, in this order: what names things first, facts behind.
std::vector<Block> blocks_of(const Rows& rows, std::uint32_t shards = 1,
                             std::size_t enough = kEnoughBytesOfBlock);
// Whether its rows, made anew, are this block, byte for byte.
bool is_as_made(const Block& block);
// What the rows of a block make when they are made anew; nothing: these are no rows of that table,
// or not of one of its partitions.
std::vector<Block> made_anew(const Block& block, std::uint32_t shards,
                             std::size_t enough = kEnoughBytesOfBlock);
// Positions of streams: a hint for who has lost its own, and good for nothing before the rows of
// their blocks.
inline bool is_position(const Block& block) { return block.table == warehouse::Stream::kTable; }
Block block_of(const std::vector<warehouse::Stream>& rows);
// Empty: they are others.
std::vector<warehouse::Stream> positions_in(const Block& block);
Block block_of(const std::vector<warehouse::Batch>& rows);
// Of one month; all go to the first shard.
Block block_of(const std::vector<warehouse::CommandDone>& rows);

}  // namespace polytrace::collector
