// SPDX-License-Identifier: Apache-2.0
// Makers of the tables of a trace. Each table keeps the trace.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sql/model/catalogue.hpp"
#include "sql/model/counted_table.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

using TracePointer = std::shared_ptr<const Trace>;
using TablePointer = std::unique_ptr<Table>;

// Rows by number, from functions. Their texts live as long as what the functions hold.
class ListedTable final : public CountedTable {
 public:
  using Prepare = std::function<base::result<void>(const Scan& scan)>;
  using Rows = std::function<base::result<std::uint64_t>()>;
  using Cell = std::function<Value(std::uint64_t row, int column)>;

  ListedTable(TableId id, int key, Rows rows, Cell cell)
      : id_(id), key_(key), rows_(std::move(rows)), cell_(std::move(cell)) {}
  const TableInfo& info() const override { return describe(id_); }
  int key() const override { return key_; }
  IntervalColumns interval() const override { return interval_; }
  void set_interval(IntervalColumns columns) { interval_ = columns; }
  // About how many rows, where counting them takes long.
  void set_expected(double rows) { expected_ = rows; }
  // What is to be done before its rows are asked for.
  void set_prepare(Prepare prepare) { prepare_ = std::move(prepare); }
  double expected() const override { return expected_ < 0 ? CountedTable::expected() : expected_; }
  base::result<std::unique_ptr<Cursor>> open(const Scan& scan) const override {
    if (prepare_)
      if (auto done = prepare_(scan); !done) return tl::unexpected(done.error());
    return CountedTable::open(scan);
  }
  base::result<std::uint64_t> rows() const override { return rows_(); }
  Value cell(std::uint64_t row, int column) const override { return cell_(row, column); }

 private:
  TableId id_;
  int key_;
  Rows rows_;
  Cell cell_;
  IntervalColumns interval_{};
  double expected_ = -1;
  Prepare prepare_{};
};

// --- things ---
TablePointer trace_info_table(const TracePointer& trace);
TablePointer notice_table(const TracePointer& trace);
TablePointer process_table(const TracePointer& trace);
TablePointer thread_table(const TracePointer& trace);
TablePointer method_table(const TracePointer& trace);
TablePointer class_table(const TracePointer& trace);
TablePointer path_table(const TracePointer& trace);
TablePointer counter_track_table(const TracePointer& trace);
TablePointer chunk_table(const TracePointer& trace);

// --- what lasted a while ---
TablePointer slice_table(const TracePointer& trace);
TablePointer gc_table(const TracePointer& trace);
TablePointer gc_pause_table(const TracePointer& trace);
TablePointer lock_wait_table(const TracePointer& trace);
TablePointer object_wait_table(const TracePointer& trace);
TablePointer jit_table(const TracePointer& trace);
TablePointer thread_state_table(const TracePointer& trace);
TablePointer recording_table(const TracePointer& trace);

// --- what happened at a moment ---
TablePointer alloc_table(const TracePointer& trace);
TablePointer alloc_sum_table(const TracePointer& trace);
TablePointer sample_table(const TracePointer& trace);
TablePointer exception_table(const TracePointer& trace);
TablePointer exception_clause_table(const TracePointer& trace);
TablePointer counter_table(const TracePointer& trace);
TablePointer heap_size_table(const TracePointer& trace);
TablePointer census_table(const TracePointer& trace);
TablePointer lost_table(const TracePointer& trace);
// Those that share what they read.
std::vector<TablePointer> heap_tables(const TracePointer& trace);
TablePointer event_table(const TracePointer& trace);
// event_<kind>: one for each kind of event but calls.
std::vector<TablePointer> kind_event_tables(const TracePointer& trace);
std::vector<const TableInfo*> kind_event_infos();

}  // namespace polytrace::sql
