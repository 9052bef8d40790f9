// SPDX-License-Identifier: Apache-2.0
#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

struct MethodFigures {
  store::MethodSum sum{};
  std::uint64_t all_self = 0;
  bool has_cpu = false;  // the trace tells it of some method
  bool has_pauses = false;
  store::MethodDurations durations{};
};

std::vector<MethodFigures> joined(std::vector<store::MethodSum> sums, bool has_pauses,
                                  std::vector<store::MethodDurations> durations) {
  std::uint64_t self = 0, cpu = 0;
  for (const store::MethodSum& sum : sums) self += sum.self, cpu += sum.cpu;
  std::vector<MethodFigures> all;
  all.reserve(sums.size());
  for (const store::MethodSum& sum : sums) {
    all.push_back({sum, self, cpu != 0, has_pauses, {}});
    if (sum.method < durations.size()) all.back().durations = std::move(durations[sum.method]);
  }
  return all;
}

base::result<std::vector<MethodFigures>> figures_of(const Trace& trace, const store::Range& range,
                                                    bool durations) {
  const auto sums = trace.store().calls(range);
  if (!sums) return tl::unexpected(sums.error());
  std::vector<store::MethodDurations> told;
  if (durations) {
    auto measured = trace.store().method_durations(range);
    if (!measured) return tl::unexpected(measured.error());
    told = std::move(*measured);
  }
  return joined(sums->methods(trace.store().paths()), sums->pauses_known(), std::move(told));
}

base::result<std::vector<MethodFigures>> figures_of_all(const Trace& trace) {
  auto whole = trace.store().whole();
  if (!whole) return tl::unexpected(whole.error());
  return joined(std::move(whole->methods), true, std::move(whole->durations));
}

// As reports have it.
Value quantile_of(const store::MethodDurations& all, unsigned percent) {
  if (all.calls == 0) return {};
  return Value::of(std::clamp(all.sketch.quantile(percent), all.least, all.most));
}

// `Columns` of methods, method_stats or method_total.
template <class Columns>
Value duration_of(const store::MethodDurations& all, int column) {
  if constexpr (requires { Columns::least_ns; }) {
    switch (column) {
      case Columns::least_ns: return all.calls == 0 ? Value() : Value::of(all.least);
      case Columns::most_ns: return all.calls == 0 ? Value() : Value::of(all.most);
      case Columns::p50_ns: return quantile_of(all, 50);
      case Columns::p95_ns: return quantile_of(all, 95);
      default: break;
    }
  }
  return {};
}

template <class Columns>
Value part_of(const MethodFigures& figures, int column) {
  if constexpr (requires { Columns::self_share; }) {
    const store::MethodSum& sum = figures.sum;
    switch (column) {
      case Columns::self_share: return share_value(sum.self, figures.all_self);
      case Columns::blocked_ns: return Value::of(sum.blocked);
      case Columns::waiting_ns: return Value::of(sum.waiting);
      case Columns::paused_ns: return figures.has_pauses ? Value::of(sum.paused) : Value();
      case Columns::cpu_ns: return figures.has_cpu ? Value::of(sum.cpu) : Value();
      default: break;
    }
  }
  return duration_of<Columns>(figures.durations, column);
}

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
    default: return part_of<Columns>(figures, column);
  }
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
    const bool durations = (scan.columns & kDurations) != 0;
    auto figures =
        durations ? figures_of_all(*trace) : figures_of(*trace, {.stop = scan.stop}, false);
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
