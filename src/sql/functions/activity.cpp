// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/codes.hpp"
#include "sql/functions/functions.hpp"
#include "sql/trace/buckets.hpp"

namespace polytrace::sql {
namespace {

struct ActivityRow {
  std::uint32_t thread;  // kNoIndex: all
  store::ActivityPoint point;
};

base::result<std::int64_t> most_of(const Scan& scan) {
  const Value value = scan.parameter(ActivityColumns::buckets);
  if (value.is_integer() && value.integer >= 1 && value.integer <= store::kMostBuckets)
    return value.integer;
  return base::fail(base::Code::query_wrong,
                    fmt::format("how many buckets at most? From 1 to {}", store::kMostBuckets));
}

// Those in which nothing happened are rows, too.
base::result<void> add_rows(const Trace& trace, const BucketSpan& span, std::uint32_t thread,
                            const std::atomic<bool>* stop, std::vector<ActivityRow>& rows) {
  const std::size_t begin = rows.size();
  for (std::int64_t bucket = span.first; bucket < span.end; ++bucket)
    rows.push_back({thread, {.bucket = bucket}});
  store::Buckets asked{
      .level = span.level, .first = span.first, .end = span.end, .threads = {}, .stop = stop};
  if (thread != store::kNoIndex) asked.threads = {thread};
  return trace.store().activity(asked, [&](const store::ActivityPoint& point) {
    rows[begin + static_cast<std::size_t>(point.bucket - span.first)].point = point;
  });
}

base::result<std::vector<ActivityRow>> rows_of_activity(const Trace& trace,
                                                        const store::Range& range,
                                                        const BucketSpan& span) {
  std::vector<ActivityRow> rows;
  std::vector<std::uint32_t> threads = threads_in(trace, range);
  if (range.threads.empty()) threads = {store::kNoIndex};
  if (static_cast<std::int64_t>(threads.size()) > store::kMostBuckets / (span.end - span.first))
    return base::fail(base::Code::query_wrong, "fewer threads, or fewer buckets");
  for (const std::uint32_t thread : threads)
    if (auto added = add_rows(trace, span, thread, range.stop, rows); !added)
      return tl::unexpected(added.error());
  return rows;
}

Value cell_of_activity(const BucketSpan& span, const ActivityRow& row, int column) {
  using At = ActivityColumns;
  switch (column) {
    case At::bucket: return Value::of(row.point.bucket);
    case At::ts: return Value::of(std::int64_t{span.start_of(row.point.bucket)});
    case At::dur: return Value::of(span.width());
    case At::utid: return index_value(row.thread);
    case At::calls: return Value::of(row.point.calls);
    case At::busy_ns: return Value::of(row.point.in_calls);
    case At::blocked_ns: return Value::of(row.point.blocked);
    case At::waiting_ns: return Value::of(row.point.waiting);
    case At::alloc_objects: return Value::of(row.point.objects);
    case At::alloc_bytes: return Value::of(row.point.bytes);
    case At::samples: return Value::of(row.point.samples);
    default: return {};
  }
}

base::result<std::unique_ptr<Cursor>> answer_activity(const TracePointer& trace, const Scan& scan) {
  using At = ActivityColumns;
  const auto range = stretch_of(scan, At::t0, At::t1, At::threads);
  if (!range) return tl::unexpected(range.error());
  const auto most = most_of(scan);
  if (!most) return tl::unexpected(most.error());
  const BucketSpan span = buckets_of(*trace, *range, *most);
  base::result<std::vector<ActivityRow>> rows;
  if (!span.is_empty()) rows = rows_of_activity(*trace, *range, span);
  if (!rows) return tl::unexpected(rows.error());
  return made<ActivityRow>(std::move(*rows), [trace, span](const ActivityRow& row, int column) {
    return cell_of_activity(span, row, column);
  });
}

}  // namespace

std::unique_ptr<Table> activity_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(
      TableId::Activity, 1000, [trace](const Scan& scan) { return answer_activity(trace, scan); });
}

}  // namespace polytrace::sql
