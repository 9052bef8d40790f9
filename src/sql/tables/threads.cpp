// SPDX-License-Identifier: Apache-2.0
#include "sql/tables/tables.hpp"

namespace polytrace::sql {
namespace {

// The operating system's number, else the source's where SQL can hold it.
Value number_of(const ThreadName& thread) {
  if (thread.os_thread != base::kNoId && thread.os_thread != 0) return Value::of(thread.os_thread);
  return thread.id > INT64_MAX ? Value() : Value::of(thread.id);
}

Value cell_of_thread(const Trace& trace, const std::vector<std::string>& ids, std::uint64_t row,
                     int column) {
  if (column == ThreadColumns::utid || column == ThreadColumns::id) return Value::of(row);
  const ThreadName& thread = trace.threads()[row];
  switch (column) {
    case ThreadColumns::tid: return number_of(thread);
    case ThreadColumns::name: return Value::name(thread.name);
    case ThreadColumns::start_ts: return time_value(thread.first);
    case ThreadColumns::end_ts: return time_value(thread.last);
    case ThreadColumns::upid: return Value::of(std::int64_t{0});
    case ThreadColumns::is_main_thread:
      return Value::of(thread.name == "main" || thread.name == "Main");
    case ThreadColumns::is_virtual: return Value::of(thread.is_virtual);
    case ThreadColumns::group_name: return Value::told(thread.group);
    case ThreadColumns::events: return Value::of(thread.events);
    case ThreadColumns::calls: return Value::of(thread.calls);
    case ThreadColumns::source_id: return Value::told(ids[row]);
    case ThreadColumns::cpu_ns: return thread.cpu ? Value::of(*thread.cpu) : Value();
    default: return {};
  }
}

}  // namespace

TablePointer thread_table(const TracePointer& trace) {
  const auto ids = std::make_shared<std::vector<std::string>>();
  for (std::size_t i = 0; i < trace->store().entities().count(store::EntitySort::thread); ++i)
    ids->push_back(id_text(trace->store().entities().of(store::EntitySort::thread, i).id));
  return std::make_unique<ListedTable>(
      TableId::Thread, ThreadColumns::utid, [ids] { return std::uint64_t{ids->size()}; },
      [=](std::uint64_t row, int column) { return cell_of_thread(*trace, *ids, row, column); });
}

}  // namespace polytrace::sql
