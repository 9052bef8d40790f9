// SPDX-License-Identifier: Apache-2.0
#include "base/codes.hpp"
#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

struct StackRow {
  std::uint32_t thread;
  std::uint32_t depth;
  store::OpenCall call;
};

Value cell_of_open(const Trace& trace, const StackRow& row, int column) {
  using At = OpenCallsColumns;
  switch (column) {
    case At::utid: return Value::of(row.thread);
    case At::depth: return Value::of(row.depth);
    case At::slice_id: return Value::of(row.call.call);
    case At::ts: return Value::of(std::int64_t{row.call.start});
    case At::path_id: return Value::of(row.call.path);
    case At::method_id: return index_value(row.call.method);
    case At::name: return Value::name(trace.method_name(row.call.method));
    default: return {};
  }
}

base::result<std::vector<StackRow>> stacks_at(const Trace& trace, base::Time at,
                                              std::vector<std::uint32_t> threads) {
  const std::uint32_t count = trace.store().frames().threads();
  if (threads.empty())
    for (std::uint32_t i = 0; i < count; ++i) threads.push_back(i);
  std::vector<StackRow> rows;
  for (const std::uint32_t thread : threads) {
    if (thread >= count) continue;
    const auto open = trace.store().open_calls(thread, at);
    if (!open) return tl::unexpected(open.error());
    for (std::uint32_t depth = 0; depth < open->size(); ++depth)
      rows.push_back({thread, depth, (*open)[depth]});
  }
  return rows;
}

base::result<std::unique_ptr<Cursor>> answer_open(const TracePointer& trace, const Scan& scan) {
  const auto range = stretch_of(scan, OpenCallsColumns::t, -1, OpenCallsColumns::threads);
  if (!range) return tl::unexpected(range.error());
  const bool is_told = !scan.parameter(OpenCallsColumns::t).is_null();
  auto rows = stacks_at(*trace, is_told ? range->from : trace->start(), range->threads);
  if (!rows) return tl::unexpected(rows.error());
  return made<StackRow>(std::move(*rows), [trace](const StackRow& row, int column) {
    return cell_of_open(*trace, row, column);
  });
}

Value cell_of_frame(const Trace& trace, std::uint32_t path, int column) {
  using At = StackOfColumns;
  switch (column) {
    case At::depth: return Value::of(trace.depths()[path]);
    case At::method_id: return index_value(trace.store().paths().method(path));
    case At::name: return Value::name(trace.path_name(path));
    default: return {};
  }
}

base::result<std::unique_ptr<Cursor>> answer_stack(const TracePointer& trace, const Scan& scan) {
  if (!scan.has_parameter(StackOfColumns::path_id))
    return base::fail(base::Code::query_wrong, "the stack of what? stack_of(path_id)");
  const Value asked = scan.parameter(StackOfColumns::path_id);
  const store::Paths& paths = trace->store().paths();
  std::vector<std::uint32_t> frames;
  if (asked.is_integer() && asked.integer > 0 && asked.integer < paths.size())
    for (auto path = static_cast<std::uint32_t>(asked.integer); path != store::kEmptyPath;
         path = paths.parent(path))
      frames.push_back(path);
  std::ranges::reverse(frames);
  return made<std::uint32_t>(std::move(frames), [trace](std::uint32_t path, int column) {
    return cell_of_frame(*trace, path, column);
  });
}

}  // namespace

std::unique_ptr<Table> open_calls_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(
      TableId::OpenCalls, 100, [trace](const Scan& scan) { return answer_open(trace, scan); });
}

std::unique_ptr<Table> stack_of_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(
      TableId::StackOf, 20, [trace](const Scan& scan) { return answer_stack(trace, scan); });
}

}  // namespace polytrace::sql
