// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/codes.hpp"
#include "sql/functions/filter.hpp"
#include "sql/model/meeting.hpp"

namespace polytrace::sql {
namespace {

struct LockRow {
  std::string key;
  std::string name;
  std::uint64_t waits = 0;
  std::uint64_t wait = 0;
  std::uint64_t most = 0;
};

struct LockBy {
  std::string_view word;
  int key;
  int name;
};
using Of = LockWaitColumns;
constexpr LockBy kLockBy[]{{"class", Of::class_id, Of::class_name},
                           {"object", Of::object_id, Of::class_name},
                           {"thread", Of::utid, -1},
                           {"method", Of::method_id, Of::name}};

std::string text_of_key(const Value& value) {
  if (value.is_integer()) return std::to_string(value.integer);
  return std::string(value.text);
}

// The part of a wait that is in the stretch counts.
void add_wait(const Trace& trace, const Cursor& wait, const LockBy& by, const store::Range& range,
              std::map<std::string, LockRow>& rows) {
  const std::int64_t start = wait.value(Of::ts).integer;
  const std::int64_t end = end_of(start, wait.value(Of::dur).integer);
  const std::uint64_t inside = base::elapsed(std::max(start, range.from), std::min(end, range.to));
  const std::string key = text_of_key(wait.value(by.key));
  LockRow& row = rows[key];
  if (row.waits == 0) {
    row.key = key;
    row.name = by.name < 0
                   ? trace.thread_name(static_cast<std::uint32_t>(wait.value(Of::utid).integer))
                   : wait.value(by.name).text;
  }
  ++row.waits;
  row.wait += inside;
  row.most = std::max(row.most, inside);
}

Value cell_of_lock_row(const LockRow& row, int column) {
  using At = LockWaitsColumns;
  switch (column) {
    case At::key: return row.key.empty() ? Value() : Value::of(std::string_view(row.key));
    case At::name: return row.name.empty() ? Value() : Value::of(std::string_view(row.name));
    case At::waits: return Value::of(row.waits);
    case At::wait_ns: return Value::of(row.wait);
    default: return Value::of(row.most);
  }
}

base::result<std::unique_ptr<Cursor>> answer_locks(const TracePointer& trace, const FindTable& find,
                                                   const Scan& scan) {
  using At = LockWaitsColumns;
  const Value told = scan.parameter(At::added_by);
  const auto by = std::ranges::find(kLockBy, told.text, &LockBy::word);
  if (by == std::end(kLockBy))
    return base::fail(base::Code::query_wrong,
                      "added up by 'class', 'object', 'thread' or 'method'");
  const auto range = stretch_of(scan, At::t0, At::t1, -1);
  if (!range) return tl::unexpected(range.error());
  auto waits = find("lock_wait")->open({.stop = scan.stop});
  if (!waits) return tl::unexpected(waits.error());
  std::map<std::string, LockRow> rows;
  for (;;) {
    const auto more = (*waits)->next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    const std::int64_t start = (*waits)->value(Of::ts).integer;
    const std::int64_t end = end_of(start, (*waits)->value(Of::dur).integer);
    if (start < range->to && end >= range->from) add_wait(*trace, **waits, *by, *range, rows);
  }
  std::vector<LockRow> all;
  for (auto& [key, row] : rows) all.push_back(std::move(row));
  std::ranges::stable_sort(all, std::ranges::greater{}, &LockRow::wait);
  return made<LockRow>(std::move(all), cell_of_lock_row);
}

}  // namespace

std::unique_ptr<Table> lock_waits_function(const TracePointer& trace, FindTable find) {
  return std::make_unique<FunctionTable>(TableId::LockWaits, 100,
                                         [trace, find = std::move(find)](const Scan& scan) {
                                           return answer_locks(trace, find, scan);
                                         });
}

}  // namespace polytrace::sql
