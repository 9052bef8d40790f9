// SPDX-License-Identifier: Apache-2.0
// Rows as a store takes them: blocks of one table and one of its partitions, which it has whole or
// not at all, each with what `batches` says of it. Pure functions; thread-safe.
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
};

struct Block {
  std::string_view table;
  std::string columns;
  std::uint32_t day = 0;  // since 1970; of what is kept by the month its first
  std::uint64_t rows = 0;
  base::Appender bytes{};
  std::vector<HourTotal> totals{};  // of facts: by hour
};

inline constexpr std::size_t kMostRowsOfBlock = 500'000;

// Equal rows make equal blocks, in this order: what names things first, facts behind.
std::vector<Block> blocks_of(const Rows& rows);
Block block_of(const std::vector<warehouse::Batch>& rows);

}  // namespace polytrace::collector
