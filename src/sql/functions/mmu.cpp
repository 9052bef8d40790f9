// SPDX-License-Identifier: Apache-2.0
#include "base/codes.hpp"
#include "slice/pauses.hpp"
#include "sql/functions/functions.hpp"
#include "store/ask/events/intervals.hpp"

namespace polytrace::sql {
namespace {

struct Window {
  std::uint64_t length;
  std::optional<double> utilisation;
};

base::result<std::unique_ptr<Cursor>> answer_mmu(const TracePointer& trace, const Scan& scan) {
  const auto lengths = numbers_of(scan.parameter(MmuColumns::windows).text);
  if (!lengths || std::ranges::any_of(*lengths, [](std::int64_t length) { return length <= 0; }))
    return base::fail(base::Code::query_wrong,
                      "windows are a JSON list of ns: mmu('[1000000, 10000000]')");
  const auto known = trace->store().pauses();
  if (!known) return tl::unexpected(known.error());
  const slice::Pauses pauses = *known != nullptr ? **known : slice::Pauses();
  std::vector<Window> windows;
  for (const std::int64_t length : *lengths) {
    const auto window = static_cast<std::uint64_t>(length);
    windows.push_back(
        {window, slice::least_utilisation(pauses, window, trace->start(), trace->end())});
  }
  return made<Window>(std::move(windows), [](const Window& row, int column) {
    if (column == MmuColumns::window_ns) return Value::of(row.length);
    return row.utilisation ? Value::of(*row.utilisation) : Value();
  });
}

}  // namespace

std::unique_ptr<Table> mmu_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(
      TableId::Mmu, 10, [trace](const Scan& scan) { return answer_mmu(trace, scan); });
}

}  // namespace polytrace::sql
