// SPDX-License-Identifier: Apache-2.0
#include "base/codes.hpp"
#include "sql/functions/functions.hpp"
#include "sql/trace/buckets.hpp"

namespace polytrace::sql {
namespace {

struct LodRow {
  std::uint32_t thread;
  store::ZoomItem item;  // cut to the stretch
};

base::result<std::int64_t> step_of(const Scan& scan) {
  const Value value = scan.parameter(SliceLodColumns::step);
  if (value.is_integer() && value.integer >= 1) return value.integer;
  return base::fail(base::Code::query_wrong, "a step is nanoseconds, at least 1: ns('1ms')");
}

base::result<std::vector<LodRow>> rows_of_lod(const Trace& trace, const store::Range& range,
                                              const BucketSpan& span) {
  std::vector<LodRow> rows;
  for (const std::uint32_t thread : threads_in(trace, range)) {
    const store::Zoom asked{.thread = thread,
                            .level = span.level,
                            .first_bucket = span.first,
                            .end_bucket = span.end,
                            .stop = range.stop};
    const auto zoomed = trace.store().zoom(asked, [&](store::ZoomItem item) {
      const bool meets = item.start < span.to && (item.start >= span.from || item.end > span.from);
      if (!meets) return;
      item.start = std::max(item.start, span.from);
      item.end = std::min(item.end, span.to);
      rows.push_back({thread, item});
    });
    if (!zoomed) return tl::unexpected(zoomed.error());
  }
  return rows;
}

Value cell_of_lod(const Trace& trace, const LodRow& row, int column) {
  using At = SliceLodColumns;
  const store::ZoomItem& item = row.item;
  switch (column) {
    case At::utid: return Value::of(row.thread);
    case At::depth: return Value::of(item.row);
    case At::ts: return Value::of(std::int64_t{item.start});
    case At::dur: return Value::of(base::elapsed(item.start, item.end));
    case At::calls: return Value::of(item.count);
    case At::busy_ns:
      return Value::of(item.is_wide ? base::elapsed(item.start, item.end) : item.busy);
    case At::longest_ns: return Value::of(item.longest);
    case At::slice_id: return Value::of(item.call);
    case At::path_id: return Value::of(item.path);
    case At::method_id: return index_value(trace.store().paths().method(item.path));
    case At::name: return Value::name(trace.path_name(item.path));
    case At::merged: return Value::of(!item.is_wide);
    default: return {};
  }
}

base::result<std::unique_ptr<Cursor>> answer_lod(const TracePointer& trace, const Scan& scan) {
  using At = SliceLodColumns;
  const auto range = stretch_of(scan, At::t0, At::t1, At::threads);
  if (!range) return tl::unexpected(range.error());
  const auto step = step_of(scan);
  if (!step) return tl::unexpected(step.error());
  const BucketSpan span = buckets_of_step(*trace, *range, *step);
  base::result<std::vector<LodRow>> rows;
  if (!span.is_empty()) rows = rows_of_lod(*trace, *range, span);
  if (!rows) return tl::unexpected(rows.error());
  return made<LodRow>(std::move(*rows), [trace](const LodRow& row, int column) {
    return cell_of_lod(*trace, row, column);
  });
}

}  // namespace

std::unique_ptr<Table> slice_lod_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(
      TableId::SliceLod, 10'000, [trace](const Scan& scan) { return answer_lod(trace, scan); });
}

}  // namespace polytrace::sql
