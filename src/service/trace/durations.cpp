// SPDX-License-Identifier: Apache-2.0
#include "service/trace/durations.hpp"

#include <algorithm>
#include <tuple>

namespace polytrace::service {
namespace {

using store::TimedCall;

// As store::durations() measures: what lies in the range counts.
void add_page(const store::SlicePage& page, const store::Range& range,
              std::vector<TimedCall>& calls) {
  for (std::size_t i = 0; i < page.calls.size(); ++i) {
    const base::Time from = std::max(page.starts[i], range.from);
    const base::Time to = std::min(page.ends[i], range.to);
    calls.push_back({page.thread, page.calls[i], page.paths[i], page.starts[i], page.ends[i],
                     base::elapsed(from, to)});
  }
}

base::result<std::optional<TimedCall>> median_of(const IndexedTrace& trace,
                                                 const store::MethodSet& methods,
                                                 const store::Range& range) {
  std::vector<TimedCall> calls;
  const auto seen = trace.store().slices(
      range, &methods, [&](const store::SlicePage& page) { add_page(page, range, calls); });
  if (!seen) return base::Unexpected(seen.error());
  if (calls.empty()) return std::nullopt;
  const auto middle = calls.begin() + static_cast<std::ptrdiff_t>((calls.size() - 1) / 2);
  std::ranges::nth_element(calls, middle, {}, [](const TimedCall& call) {
    return std::tuple(call.duration, call.start, call.thread, call.call);
  });
  return *middle;
}

}  // namespace

base::result<MethodDurations> method_durations(const IndexedTrace& trace, std::uint32_t method,
                                               const TracePart& part, std::size_t slowest) {
  const store::Range range = range_of(trace, part);
  const store::MethodSet methods{method};
  auto all = trace.store().durations(methods, range, slowest);
  if (!all) return base::Unexpected(all.error());
  MethodDurations made{.method = method, .all = std::move(*all)};
  if (made.all.calls == 0 || made.all.calls > kMostMedianCalls) return made;
  auto median = median_of(trace, methods, range);
  if (!median) return base::Unexpected(median.error());
  made.median = *median;
  return made;
}

}  // namespace polytrace::service
