// SPDX-License-Identifier: Apache-2.0
// Makers of the functions that answer with a table, and what they have in common. Each keeps the
// trace.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sql/model/catalogue.hpp"
#include "sql/trace/stretch.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

using TracePointer = std::shared_ptr<const Trace>;

// Its rows are made when it is asked, of its parameters.
class FunctionTable final : public Table {
 public:
  using Answer = std::function<base::result<std::unique_ptr<Cursor>>(const Scan& scan)>;

  FunctionTable(TableId id, double rows, Answer answer)
      : id_(id), rows_(rows), answer_(std::move(answer)) {}
  const TableInfo& info() const override { return describe(id_); }
  double estimate(std::uint64_t, std::uint64_t) const override { return rows_; }
  base::result<std::unique_ptr<Cursor>> open(const Scan& scan) const override {
    return answer_(scan);
  }

 private:
  TableId id_;
  double rows_;
  Answer answer_;
};

// Rows that are all made. `cell` keeps what their texts are of.
template <class Row>
class MadeRows final : public Cursor {
 public:
  using Cell = std::function<Value(const Row& row, int column)>;
  MadeRows(std::vector<Row> rows, Cell cell) : rows_(std::move(rows)), cell_(std::move(cell)) {}

  base::result<bool> next() override { return next_++ < rows_.size(); }
  Value value(int column) const override { return cell_(rows_[next_ - 1], column); }

 private:
  std::vector<Row> rows_;
  Cell cell_;
  std::size_t next_ = 0;
};
template <class Row>
std::unique_ptr<Cursor> made(std::vector<Row> rows, typename MadeRows<Row>::Cell cell) {
  return std::make_unique<MadeRows<Row>>(std::move(rows), std::move(cell));
}

inline Value share_value(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {};
  return Value::of(static_cast<double>(part) / static_cast<double>(whole));
}

std::unique_ptr<Table> methods_function(const TracePointer& trace);
std::unique_ptr<Table> method_stats_function(const TracePointer& trace);
std::unique_ptr<Table> call_tree_function(const TracePointer& trace);
std::unique_ptr<Table> bottom_up_function(const TracePointer& trace);
std::unique_ptr<Table> callers_function(const TracePointer& trace);
std::unique_ptr<Table> callees_function(const TracePointer& trace);
std::unique_ptr<Table> open_calls_function(const TracePointer& trace);
std::unique_ptr<Table> stack_of_function(const TracePointer& trace);
std::unique_ptr<Table> allocations_function(const TracePointer& trace);
std::unique_ptr<Table> samples_function(const TracePointer& trace);
std::unique_ptr<Table> slice_lod_function(const TracePointer& trace);
std::unique_ptr<Table> activity_function(const TracePointer& trace);
std::unique_ptr<Table> state_at_function(const TracePointer& trace);
std::unique_ptr<Table> state_range_function(const TracePointer& trace);
std::unique_ptr<Table> heap_classes_function(const TracePointer& trace);
std::unique_ptr<Table> heap_path_function(const TracePointer& trace);
std::unique_ptr<Table> mmu_function(const TracePointer& trace);
std::unique_ptr<Table> report_notes_function(const TracePointer& trace);
std::unique_ptr<Table> ancestor_slice_function(const TracePointer& trace);
std::unique_ptr<Table> descendant_slice_function(const TracePointer& trace);

// The other tables of the trace, which outlive who asks. Null where there is none of the name.
using FindTable = std::function<const Table*(std::string_view name)>;
std::unique_ptr<Table> lock_waits_function(const TracePointer& trace, FindTable find);
std::unique_ptr<Table> histogram_function(FindTable find);
std::unique_ptr<Table> group_by_function(const TracePointer& trace, FindTable find);

// report_<key>: one for each table of a report.
std::vector<std::unique_ptr<Table>> report_functions(const TracePointer& trace);
std::vector<const TableInfo*> report_infos();

// The table of the whole trace.
std::unique_ptr<Table> method_total_table(const TracePointer& trace);

}  // namespace polytrace::sql
