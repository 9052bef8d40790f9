// SPDX-License-Identifier: Apache-2.0
// Whom a call was called by and what it called.
#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

struct Relative {
  store::SliceId call;
  base::Time start;
  base::Time end;
  std::uint32_t thread;
  std::uint32_t depth;
  std::uint32_t path;
};
using Relatives = base::result<std::vector<Relative>>;

base::result<std::optional<store::Call>> call_of(const Trace& trace, const Scan& scan) {
  const Value asked = scan.parameter(AncestorSliceColumns::slice_id);
  if (!asked.is_integer() || asked.integer < 0) return std::optional<store::Call>();
  auto call = trace.store().call(static_cast<store::SliceId>(asked.integer));
  // There is no such call: no row.
  if (!call) return std::optional<store::Call>();
  return std::optional(std::move(*call));
}

Relatives ancestors_of(const Trace& trace, const store::Call& call) {
  std::vector<Relative> all;
  for (const store::OpenCall& open : call.callers) {
    const auto caller = trace.store().call(open.call);
    if (!caller) return tl::unexpected(caller.error());
    all.push_back({open.call, caller->start, caller->end, caller->thread,
                   static_cast<std::uint32_t>(all.size()), open.path});
  }
  return all;
}

// A thread's calls come in order, callers first: those of the call end where one is as shallow.
Relatives descendants_of(const Trace& trace, const store::Call& call,
                         const std::atomic<bool>* stop) {
  const auto depth = static_cast<std::uint32_t>(call.callers.size());
  store::Range range{.from = call.start, .threads = {call.thread}, .stop = stop};
  if (call.end != INT64_MAX) range.to = call.end + 1;
  store::SliceScan scan(trace.store().frames(), range);
  std::vector<Relative> all;
  bool inside = false;
  for (;;) {
    const auto page = scan.next();
    if (!page) return tl::unexpected(page.error());
    if (*page == nullptr) return all;
    const store::SlicePage& calls = **page;
    for (std::size_t i = 0; i < calls.calls.size(); ++i) {
      if (inside && calls.depths[i] <= depth) return all;
      if (inside)
        all.push_back({calls.calls[i], calls.starts[i], calls.ends[i], calls.thread,
                       calls.depths[i], calls.paths[i]});
      inside = inside || calls.calls[i] == call.call;
    }
  }
}

Value cell_of_relative(const Trace& trace, const Relative& row, int column) {
  using At = AncestorSliceColumns;
  switch (column) {
    case At::id: return Value::of(row.call);
    case At::ts: return Value::of(std::int64_t{row.start});
    case At::dur: return Value::of(base::elapsed(row.start, row.end));
    case At::utid: return Value::of(row.thread);
    case At::depth: return Value::of(row.depth);
    case At::path_id: return Value::of(row.path);
    case At::method_id: return index_value(trace.store().paths().method(row.path));
    case At::name: return Value::name(trace.path_name(row.path));
    default: return {};
  }
}

enum class Way : std::uint8_t { up, down };

base::result<std::unique_ptr<Cursor>> answer_relatives(const TracePointer& trace, const Scan& scan,
                                                       Way way) {
  const auto call = call_of(*trace, scan);
  if (!call) return tl::unexpected(call.error());
  Relatives all;
  if (*call)
    all = way == Way::up ? ancestors_of(*trace, **call) : descendants_of(*trace, **call, scan.stop);
  if (!all) return tl::unexpected(all.error());
  return made<Relative>(std::move(*all), [trace](const Relative& row, int column) {
    return cell_of_relative(*trace, row, column);
  });
}

}  // namespace

std::unique_ptr<Table> ancestor_slice_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(TableId::AncestorSlice, 10, [trace](const Scan& scan) {
    return answer_relatives(trace, scan, Way::up);
  });
}

std::unique_ptr<Table> descendant_slice_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(TableId::DescendantSlice, 100, [trace](const Scan& scan) {
    return answer_relatives(trace, scan, Way::down);
  });
}

}  // namespace polytrace::sql
