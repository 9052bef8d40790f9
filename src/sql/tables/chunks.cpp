// SPDX-License-Identifier: Apache-2.0
// The pieces that the source was read in.
#include "sql/trace/chunks.hpp"

#include "sql/tables/tables.hpp"

namespace polytrace::sql {
namespace {

bool asks_times(const Scan& scan) {
  constexpr std::uint64_t kTimes =
      std::uint64_t{1} << ChunkColumns::ts | std::uint64_t{1} << ChunkColumns::end_ts;
  return (scan.columns & kTimes) != 0;
}

Value chunk_cell(const Chunks& all, std::uint64_t rows, std::uint64_t row, int column) {
  switch (column) {
    case ChunkColumns::id: return Value::of(row);
    case ChunkColumns::source_offset: return Value::of(all.offset(row));
    case ChunkColumns::bytes:
      return row + 1 == rows ? Value() : Value::of(all.offset(row + 1) - all.offset(row));
    case ChunkColumns::first_event: return Value::of(all.first_event(row));
    case ChunkColumns::events: return Value::of(all.events(row));
    case ChunkColumns::ts: return time_value(all.span(row).first);
    default: return time_value(all.span(row).last);
  }
}

}  // namespace

TablePointer chunk_table(const TracePointer& trace) {
  const auto all = std::make_shared<const Chunks>(trace);
  auto table = std::make_unique<ListedTable>(
      TableId::Chunk, ChunkColumns::id, [=] { return all->rows(); },
      [=](std::uint64_t row, int column) {
        return chunk_cell(*all, all->rows().value_or(0), row, column);
      });
  table->set_prepare([=](const Scan& scan) {
    return asks_times(scan) ? all->find_times(scan.stop) : base::result<void>();
  });
  return table;
}

}  // namespace polytrace::sql
