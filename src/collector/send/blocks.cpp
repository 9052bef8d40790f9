// SPDX-License-Identifier: Apache-2.0
#include "collector/send/blocks.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "warehouse/row_binary.hpp"

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
template <class Row>
std::uint32_t part_of(const Row& row) {
  return row.t / 86400;
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
Block new_block(std::uint32_t day) {
  Block block;
  block.table = Row::kTable;
  block.columns = warehouse::column_names<Row>();
  block.day = day;
  return block;
}

template <class Row>
void add_blocks(const std::vector<Row>& rows, std::vector<Block>& out) {
  std::map<std::uint32_t, std::vector<const Row*>> parts;
  for (const Row& row : rows) parts[part_of(row)].push_back(&row);
  for (const auto& [day, part] : parts) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (i % kMostRowsOfBlock == 0) out.push_back(new_block<Row>(day));
      warehouse::append_row(*part[i], out.back().bytes);
      ++out.back().rows;
      add_hour(*part[i], out.back());
    }
  }
}

}  // namespace

std::vector<Block> blocks_of(const Rows& rows) {
  std::vector<Block> out;
  std::apply([&](const auto&... table) { (add_blocks(table, out), ...); }, rows.tables);
  for (Block& block : out) std::ranges::sort(block.totals, {}, &HourTotal::hour);
  return out;
}

Block block_of(const std::vector<warehouse::Batch>& rows) {
  Block block = new_block<warehouse::Batch>(rows.empty() ? 0 : rows[0].written / 86400);
  for (const warehouse::Batch& row : rows) warehouse::append_row(row, block.bytes);
  block.rows = rows.size();
  return block;
}

}  // namespace polytrace::collector
