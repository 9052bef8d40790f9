// SPDX-License-Identifier: Apache-2.0
#include "collector/send/blocks.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>

#include "warehouse/row_binary.hpp"
#include "warehouse/shards.hpp"

namespace polytrace::collector {
namespace {

using namespace std::chrono;

std::uint32_t month_begin(std::uint32_t day) {
  const year_month_day date{sys_days{days{day}}};
  return static_cast<std::uint32_t>(
      sys_days{date.year() / date.month() / 1}.time_since_epoch().count());
}

// The first day of the partition that a row is in.
std::uint32_t part_of(const warehouse::Series& row) { return month_begin(row.first / 86400); }
std::uint32_t part_of(const warehouse::Frame& row) { return month_begin(row.seen); }
std::uint32_t part_of(const warehouse::Stack& row) { return month_begin(row.seen); }
std::uint32_t part_of(const warehouse::Stream& row) { return row.touched / 86400; }
template <class Row>
std::uint32_t part_of(const Row& row) {
  return row.t / 86400;
}

// What a row is of, which decides its shard: so a shard has all rows of its series.
std::uint64_t key_of(const warehouse::Frame& row) { return row.id; }
std::uint64_t key_of(const warehouse::Stack& row) {
  std::uint64_t key = 0;
  std::memcpy(&key, row.id.data(), sizeof key);
  return key;
}
template <class Row>
std::uint64_t key_of(const Row& row) {
  return row.series;
}

// What control totals add up.
void add_total(const warehouse::Profile10s& row, HourTotal& total) {
  total.count += row.count;
  total.weight += row.weight;
}
void add_total(const warehouse::Methods1m& row, HourTotal& total) {
  total.count += row.calls;
  total.weight += row.self_ns;
}
void add_total(const warehouse::Health10s& row, HourTotal& total) {
  total.count += row.calls;
  total.weight += row.pause_ns;
}
void add_total(const warehouse::Moment& row, HourTotal& total) {
  ++total.count;
  total.weight += static_cast<std::uint64_t>(row.took);
}

template <class Row>
void add_hour(const Row& row, Block& block) {
  if constexpr (requires(HourTotal total) { add_total(row, total); }) {
    auto at = std::ranges::find(block.totals, row.hour, &HourTotal::hour);
    if (at == block.totals.end()) at = block.totals.insert(at, {row.hour});
    ++at->rows;
    add_total(row, *at);
  }
}

template <class Row>
Block new_block(std::uint32_t day, std::uint32_t shard) {
  Block block;
  block.shard = shard;
  block.table = Row::kTable;
  block.columns = warehouse::column_names<Row>();
  block.day = day;
  return block;
}

template <class Row>
void add_blocks(const std::vector<Row>& rows, std::uint32_t shards, std::size_t enough,
                std::vector<Block>& out) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const Row*>> parts;
  for (const Row& row : rows)
    parts[{part_of(row), warehouse::shard_of(key_of(row), shards)}].push_back(&row);
  for (const auto& [place, part] : parts) {
    bool is_full = true;
    for (const Row* const row : part) {
      if (is_full) out.push_back(new_block<Row>(place.first, place.second));
      Block& block = out.back();
      warehouse::append_row(*row, block.bytes);
      ++block.rows;
      add_hour(*row, block);
      is_full = block.rows == kMostRowsOfBlock || block.bytes.view().size() >= enough;
    }
  }
}

// All rows of the block, and nothing behind them.
template <class Row>
bool read_table(const Block& block, std::vector<Row>& into) {
  if (block.table != Row::kTable || block.columns != warehouse::column_names<Row>()) return false;
  base::Cursor in(block.bytes.view(), 0);
  while (in.ok() && in.left() != 0 && into.size() < kMostRowsOfBlock)
    if (!warehouse::read_row(in, into.emplace_back())) return false;
  return in.ok() && in.left() == 0 && !into.empty();
}

// Row by row, so that none of it is in memory a second time.
template <class Row>
bool is_table_as_made(const Block& block) {
  if (block.table != Row::kTable || block.columns != warehouse::column_names<Row>()) return false;
  const base::Bytes bytes = block.bytes.view();
  base::Cursor in(bytes, 0);
  Block again;
  Row row;
  while (in.left() != 0) {
    const std::size_t at = bytes.size() - in.left();
    if (at >= kEnoughBytesOfBlock || !warehouse::read_row(in, row) || part_of(row) != block.day)
      return false;
    again.bytes.clear();
    warehouse::append_row(row, again.bytes);
    if (!std::ranges::equal(again.bytes.view(), bytes.subspan(at, bytes.size() - in.left() - at)))
      return false;
    ++again.rows;
    add_hour(row, again);
  }
  std::ranges::sort(again.totals, {}, &HourTotal::hour);
  return again.rows != 0 && again.rows <= kMostRowsOfBlock && again.rows == block.rows &&
         again.totals == block.totals;
}

template <class Row>
Block whole_block(const std::vector<Row>& rows, std::uint32_t day) {
  Block block = new_block<Row>(day, 0);
  for (const Row& row : rows) warehouse::append_row(row, block.bytes);
  block.rows = rows.size();
  return block;
}

}  // namespace

std::vector<Block> blocks_of(const Rows& rows, std::uint32_t shards, std::size_t enough) {
  std::vector<Block> out;
  std::apply([&](const auto&... table) { (add_blocks(table, shards, enough, out), ...); },
             rows.tables);
  for (Block& block : out) std::ranges::sort(block.totals, {}, &HourTotal::hour);
  return out;
}

bool is_as_made(const Block& block) {
  return std::apply(
      [&]<class... Row>(const std::vector<Row>&...) {
        return (is_table_as_made<Row>(block) || ...);
      },
      Rows().tables);
}

std::vector<Block> made_anew(const Block& block, std::uint32_t shards, std::size_t enough) {
  Rows rows;
  const bool is_read =
      std::apply([&](auto&... table) { return (read_table(block, table) || ...); }, rows.tables);
  if (!is_read) return {};
  std::vector<Block> blocks = blocks_of(rows);
  const bool is_same = blocks.size() == 1 && blocks[0].day == block.day &&
                       blocks[0].rows == block.rows && blocks[0].totals == block.totals;
  if (!is_same) return {};
  if (shards != 1 || enough != kEnoughBytesOfBlock) return blocks_of(rows, shards, enough);
  return blocks;
}

Block block_of(const std::vector<warehouse::Stream>& rows) {
  return whole_block(rows, rows.empty() ? 0 : part_of(rows[0]));
}

std::vector<warehouse::Stream> positions_in(const Block& block) {
  std::vector<warehouse::Stream> rows;
  if (!read_table(block, rows)) rows.clear();
  return rows;
}

Block block_of(const std::vector<warehouse::Batch>& rows) {
  return whole_block(rows, rows.empty() ? 0 : rows[0].written / 86400);
}

Block block_of(const std::vector<warehouse::CommandDone>& rows) {
  return whole_block(rows, rows.empty() ? 0 : month_begin(rows[0].at / 86400));
}

}  // namespace polytrace::collector
