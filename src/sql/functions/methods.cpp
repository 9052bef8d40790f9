// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

struct MethodFigures {
  store::MethodSum sum{};
  std::uint64_t all_self = 0;
  std::optional<store::Durations> durations{};
};

// With `durations` each method's calls are looked through.
base::result<std::vector<MethodFigures>> figures_of(const Trace& trace, const store::Range& range,
                                                    bool durations) {
  const auto sums = trace.store().calls(range);
  if (!sums) return tl::unexpected(sums.error());
  std::vector<MethodFigures> all;
  std::uint64_t self = 0;
  for (const store::MethodSum& sum : sums->methods(trace.store().paths())) {
    self += sum.self;
    all.push_back({.sum = sum});
  }
  for (MethodFigures& figures : all) {
    figures.all_self = self;
    if (!durations) continue;
    auto told = trace.store().durations({figures.sum.method}, range);
    if (!told) return tl::unexpected(told.error());
    figures.durations = std::move(*told);
  }
  return all;
}

// As reports have it.
Value quantile_of(const MethodFigures& figures, unsigned percent) {
  if (!figures.durations || figures.durations->calls == 0) return {};
  const store::Durations& all = *figures.durations;
  return Value::of(std::clamp(all.sketch.quantile(percent), all.least, all.most));
}

Value edge_of(const MethodFigures& figures, std::uint64_t store::Durations::* which) {
  if (!figures.durations || figures.durations->calls == 0) return {};
  return Value::of(*figures.durations.*which);
}

// `Columns` of methods, method_stats or method_total.
template <class Columns>
Value cell_of_figures(const Trace& trace, const MethodFigures& figures, int column) {
  const store::MethodSum& sum = figures.sum;
  switch (column) {
    case Columns::method_id: return Value::of(sum.method);
    case Columns::name: return Value::name(trace.method_name(sum.method));
    case Columns::calls: return Value::of(sum.calls);
    case Columns::total_ns: return Value::of(sum.total);
    case Columns::elapsed_ns: return Value::of(sum.elapsed);
    case Columns::self_ns: return Value::of(sum.self);
    default: break;
  }
  if constexpr (requires { Columns::least_ns; }) {
    if (column == Columns::least_ns) return edge_of(figures, &store::Durations::least);
    if (column == Columns::most_ns) return edge_of(figures, &store::Durations::most);
    if (column == Columns::p50_ns) return quantile_of(figures, 50);
    if (column == Columns::p95_ns) return quantile_of(figures, 95);
  }
  if constexpr (requires { Columns::self_share; })
    if (column == Columns::self_share) return share_value(sum.self, figures.all_self);
  return {};
}

template <class Columns>
base::result<std::unique_ptr<Cursor>> answer_methods(const TracePointer& trace, const Scan& scan,
                                                     bool durations) {
  const auto range = stretch_of(scan, Columns::t0, Columns::t1, Columns::threads);
  if (!range) return tl::unexpected(range.error());
  auto figures = figures_of(*trace, *range, durations);
  if (!figures) return tl::unexpected(figures.error());
  return made<MethodFigures>(std::move(*figures), [trace](const MethodFigures& row, int column) {
    return cell_of_figures<Columns>(*trace, row, column);
  });
}

}  // namespace

std::unique_ptr<Table> methods_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(TableId::Methods, 1000, [trace](const Scan& scan) {
    return answer_methods<MethodsColumns>(trace, scan, false);
  });
}

std::unique_ptr<Table> method_stats_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(TableId::MethodStats, 1000, [trace](const Scan& scan) {
    return answer_methods<MethodStatsColumns>(trace, scan, true);
  });
}

std::unique_ptr<Table> method_total_table(const TracePointer& trace) {
  constexpr std::uint64_t kDurations = std::uint64_t{0b1111} << MethodTotalColumns::least_ns;
  const auto answer = [trace](const Scan& scan) -> base::result<std::unique_ptr<Cursor>> {
    auto figures = figures_of(*trace, {.stop = scan.stop}, (scan.columns & kDurations) != 0);
    if (!figures) return tl::unexpected(figures.error());
    std::erase_if(*figures, [&](const MethodFigures& row) {
      return !std::ranges::all_of(scan.conditions, [&](const Condition& condition) {
        return condition.holds(cell_of_figures<MethodTotalColumns>(*trace, row, condition.column));
      });
    });
    return made<MethodFigures>(std::move(*figures), [trace](const MethodFigures& row, int column) {
      return cell_of_figures<MethodTotalColumns>(*trace, row, column);
    });
  };
  return std::make_unique<FunctionTable>(TableId::MethodTotal, 1000, answer);
}

}  // namespace polytrace::sql
