// SPDX-License-Identifier: Apache-2.0
#include "store/read/cells/cell_layout.hpp"

#include <algorithm>
#include <array>

#include "base/codes.hpp"
#include "base/frames/svb.hpp"

namespace polytrace::store {
namespace {

using base::Code;

constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << (64 - kCallBits);

// Numbers of the columns, in the order of the file.
struct CellColumns {
  std::vector<std::uint64_t> rows, starts, lengths, counts, busy, longest, paths, blocks, calls;

  std::array<std::vector<std::uint64_t>*, 9> all() {
    return {&rows, &starts, &lengths, &counts, &busy, &longest, &paths, &blocks, &calls};
  }
};

std::uint64_t zigzag_between(std::uint64_t from, std::uint64_t to) {
  return base::zigzag(static_cast<std::int64_t>(to - from));
}

base::result<void> read_columns(base::Bytes& payload, CellColumns& columns) {
  for (auto* const column : columns.all())
    if (auto read = base::read_svb(payload, *column, kMostCells); !read) return read;
  if (!payload.empty()) return base::fail(Code::trailing_bytes);
  const std::size_t cells = columns.rows.size();
  const auto joined = static_cast<std::size_t>(
      std::ranges::count_if(columns.counts, [](std::uint64_t count) { return count > 1; }));
  const auto has = [](std::size_t size) {
    return [size](const std::vector<std::uint64_t>* column) { return column->size() == size; };
  };
  const std::array each{&columns.starts, &columns.lengths, &columns.counts,
                        &columns.paths,  &columns.blocks,  &columns.calls};
  const std::array of_joined{&columns.busy, &columns.longest};
  if (!std::ranges::all_of(each, has(cells)) || !std::ranges::all_of(of_joined, has(joined)))
    return base::fail(Code::value_unexpected, "lengths of columns of cells");
  return {};
}

}  // namespace

void CellJoiner::clear() {
  for (const Cell& cell : cells_) last_[cell.row].place = 0;
  cells_.clear();
}

void CellJoiner::take(std::vector<Cell>& into) {
  if (cells_.empty()) return;
  const auto [least, most] = std::ranges::minmax(cells_, {}, &Cell::row);
  const std::uint32_t first = least.row;
  ends_.assign(most.row - first + std::size_t{2}, 0);
  for (const Cell& cell : cells_) ++ends_[cell.row - first + 1];
  for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
  const std::size_t before = into.size();
  into.resize(before + cells_.size());
  for (const Cell& cell : cells_) into[before + ends_[cell.row - first]++] = cell;
  clear();
}

void append_cells(const std::vector<Cell>& cells, std::string& payload) {
  CellColumns columns;
  Cell before{};
  for (const Cell& cell : cells) {
    columns.rows.push_back(cell.row - before.row);
    columns.starts.push_back(zigzag_between(static_cast<std::uint64_t>(before.start),
                                            static_cast<std::uint64_t>(cell.start)));
    columns.lengths.push_back(base::elapsed(cell.start, cell.end));
    columns.counts.push_back(cell.count);
    if (cell.count > 1) {
      columns.busy.push_back(cell.busy);
      columns.longest.push_back(cell.longest);
    }
    columns.paths.push_back(cell.path);
    columns.blocks.push_back(zigzag_between(block_of(before.call), block_of(cell.call)));
    columns.calls.push_back(call_of(cell.call));
    before = cell;
  }
  for (const auto* const column : columns.all()) base::append_svb(*column, payload);
}

base::result<void> read_cells(base::Bytes payload, std::uint32_t paths, std::vector<Cell>& into) {
  thread_local CellColumns columns;
  if (auto read = read_columns(payload, columns); !read) return read;
  std::uint64_t row = 0, start = 0, block = 0;
  std::size_t joined = 0;
  into.reserve(into.size() + columns.rows.size());
  for (std::size_t i = 0; i < columns.rows.size(); ++i) {
    const std::uint64_t length = columns.lengths[i], count = columns.counts[i];
    row += columns.rows[i];
    start += static_cast<std::uint64_t>(base::unzigzag(columns.starts[i]));
    block += static_cast<std::uint64_t>(base::unzigzag(columns.blocks[i]));
    if (row >= kMostDepth || count == 0 || columns.paths[i] >= paths || block >= kMostBlocks ||
        columns.calls[i] >= kBlockEvents)
      return base::fail(Code::value_unexpected, "cell");
    into.push_back({.start = static_cast<base::Time>(start),
                    .end = static_cast<base::Time>(start + length),
                    .count = count,
                    .busy = count > 1 ? columns.busy[joined] : length,
                    .longest = count > 1 ? columns.longest[joined] : length,
                    .call = slice_id(block, static_cast<std::uint32_t>(columns.calls[i])),
                    .path = static_cast<std::uint32_t>(columns.paths[i]),
                    .row = static_cast<std::uint32_t>(row)});
    joined += count > 1;
  }
  return {};
}

}  // namespace polytrace::store
