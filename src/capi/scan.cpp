// SPDX-License-Identifier: Apache-2.0
#include "capi/scan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/codes.hpp"
#include "capi/query.hpp"

namespace polytrace::capi {
namespace {

pt_scan whole_scan() {
  return {.size = sizeof(pt_scan),
          .from = INT64_MIN,
          .to = INT64_MAX,
          .threads = nullptr,
          .thread_count = 0,
          .columns = nullptr,
          .batch_rows = 0,
          .by_time = 0};
}

std::span<const std::int64_t> threads_of(const pt_scan& scan) {
  return {scan.threads, scan.thread_count};
}

// With the table's name in front, a name that it does not have is no text.
std::string quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char letter : name)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + '"';
}

std::string columns_of(const char* columns) {
  if (columns == nullptr) return "*";
  std::string all;
  std::string_view rest(columns);
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != rest.npos;
    const std::string_view name = rest.substr(0, comma);
    if (more) rest.remove_prefix(comma + 1);
    all += fmt::format("{}t.{}", all.empty() ? "" : ", ", quoted(name));
  }
  return all;
}

std::string table_query(const char* table, const pt_scan& scan) {
  std::string query =
      fmt::format("SELECT {} FROM {} AS t WHERE 1", columns_of(scan.columns), quoted(table));
  if (scan.from != INT64_MIN) query += fmt::format(" AND t.ts >= {}", scan.from);
  if (scan.to != INT64_MAX) query += fmt::format(" AND t.ts < {}", scan.to);
  if (scan.thread_count != 0)
    query += fmt::format(" AND t.utid IN ({})", fmt::join(threads_of(scan), ","));
  if (scan.by_time != 0) query += " ORDER BY t.ts";
  return query;
}

std::string time_text(std::int64_t time, std::int64_t none) {
  return time == none ? "NULL" : fmt::format("{}", time);
}

std::string tree_query(const pt_scan& scan, double least_share) {
  std::string threads = "NULL";
  if (scan.thread_count != 0) threads = fmt::format("'[{}]'", fmt::join(threads_of(scan), ","));
  return fmt::format("SELECT * FROM call_tree({}, {}, {}, {:.17g})",
                     time_text(scan.from, INT64_MIN), time_text(scan.to, INT64_MAX), threads,
                     least_share);
}

pt_status query_of(pt_trace& trace, const std::string& sql, std::shared_ptr<OpenQuery>& query,
                   pt_error** error) {
  pt_query_options options;
  pt_query_options_init(&options, sizeof options);
  std::size_t used = 0;
  return make_query(trace, sql, options, query, used, error);
}

std::size_t most_of(const pt_scan& scan) {
  return scan.batch_rows == 0 ? kMostRows : std::min(scan.batch_rows, kMostRows);
}

pt_status stream_of(pt_trace& trace, const std::string& sql, const pt_scan& scan,
                    ArrowArrayStream* out, pt_error** error) {
  std::shared_ptr<OpenQuery> query;
  const pt_status status = query_of(trace, sql, query, error);
  if (status != PT_OK) return status;
  return open_stream(query, most_of(scan), out, error);
}

}  // namespace

pt_status make_table_query(pt_trace& trace, const char* table, const pt_scan& scan,
                           std::shared_ptr<OpenQuery>& query, pt_error** error) {
  if (table == nullptr) return give_usage(error, "no table");
  if (!trace.open->is_stream()) return query_of(trace, table_query(table, scan), query, error);
  auto rows = event_rows(trace.open, table, scan);
  if (!rows) return give_error(error, rows.error());
  query = std::make_shared<OpenQuery>(trace.open, std::move(*rows), 0);
  return PT_OK;
}

pt_scan taken_scan(const pt_scan* from) { return taken(from, whole_scan()); }

base::result<slice::Selection> selection_of(const OpenTrace& trace, const pt_scan& scan) {
  slice::Selection selection;
  selection.from = scan.from;
  selection.to = scan.to;
  if (scan.thread_count == 0) return selection;
  const auto moment = trace.moment();
  if (!moment) return base::Unexpected(moment.error());
  const auto& all = (*moment)->trace().threads();
  std::vector<base::Id> ids;
  for (const std::int64_t utid : threads_of(scan)) {
    if (utid < 0 || static_cast<std::size_t>(utid) >= all.size())
      return base::fail(base::Code::usage, fmt::format("there is no thread with utid {}", utid));
    ids.push_back(all[static_cast<std::size_t>(utid)].id);
  }
  selection.threads = event::ThreadChoice(std::move(ids));
  return selection;
}

}  // namespace polytrace::capi

using namespace polytrace::capi;

void pt_scan_init(pt_scan* scan, size_t size) {
  const pt_scan all = whole_scan();
  std::memset(scan, 0, size);
  std::memcpy(scan, &all, std::min(size, sizeof all));
  scan->size = size;
}

pt_status pt_table_query(pt_trace* trace, const char* table, const pt_scan* scan, pt_query** query,
                         pt_error** error) {
  *query = nullptr;
  return guarded(error, [&] {
    std::shared_ptr<OpenQuery> made;
    const pt_status status = make_table_query(*trace, table, taken_scan(scan), made, error);
    if (status == PT_OK) *query = query_of_c(std::move(made));
    return status;
  });
}

pt_status pt_table_stream(pt_trace* trace, const char* table, const pt_scan* scan,
                          struct ArrowArrayStream* out, pt_error** error) {
  *out = {};
  return guarded(error, [&] {
    const pt_scan own = taken_scan(scan);
    std::shared_ptr<OpenQuery> made;
    const pt_status status = make_table_query(*trace, table, own, made, error);
    return status == PT_OK ? open_stream(made, most_of(own), out, error) : status;
  });
}

pt_status pt_call_tree(pt_trace* trace, const pt_scan* scan, double least_share,
                       struct ArrowArrayStream* out, pt_error** error) {
  *out = {};
  return guarded(error, [&] {
    if (!(least_share >= 0 && least_share <= 1)) return give_usage(error, "a share is 0 to 1");
    const pt_scan own = taken_scan(scan);
    return stream_of(*trace, tree_query(own, least_share), own, out, error);
  });
}
