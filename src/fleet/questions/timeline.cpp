// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/codes.hpp"
#include "fleet/questions.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;

constexpr std::uint32_t kFinestStep = 10;  // seconds, of health
constexpr std::uint32_t kSelfStep = 60;    // and of methods
// Of their own usual lengths the first that cuts the range into no more than kUsualSteps.
constexpr std::array<std::uint32_t, 9> kSteps{60,        300,        900,  kHour,   2 * kHour,
                                              6 * kHour, 12 * kHour, kDay, 7 * kDay};
constexpr std::uint32_t kUsualSteps = 100, kMostSteps = 2000;
constexpr std::size_t kMostLabels = 20;
constexpr std::string_view kOthers = "(others)";

struct OfStep {
  std::uint64_t series = 0, seconds = 0, calls = 0, collections = 0, paused = 0, longest = 0,
                bytes = 0, waited = 0, thrown = 0, events = 0, lost = 0, self = 0;

  void add(const OfStep& more) {
    series += more.series, seconds += more.seconds, calls += more.calls;
    collections += more.collections, paused += more.paused;
    longest = std::max(longest, more.longest);
    bytes += more.bytes, waited += more.waited, thrown += more.thrown;
    events += more.events, lost += more.lost, self += more.self;
  }
};
// By the beginning of the step and the value of the label.
using Timeline = std::map<std::pair<std::uint32_t, std::string>, OfStep>;

base::result<std::uint32_t> step_of(const Range& range, std::uint32_t asked) {
  if (asked == 0) {
    for (const std::uint32_t step : kSteps)
      if (range.seconds() / step <= kUsualSteps) return step;
    return kSteps.back();
  }
  if (asked % kFinestStep != 0)
    return base::fail(base::Code::usage, fmt::format("--step: {} s is no multiple of 10 s", asked));
  if (range.seconds() / asked > kMostSteps)
    return base::fail(base::Code::usage,
                      fmt::format("--step: {} s are {} steps of this range, and {} are the most",
                                  asked, range.seconds() / asked, kMostSteps));
  return asked;
}

// "SELECT b, label, ... FROM (SELECT series, b, ... GROUP BY series, b) ... GROUP BY b, label".
std::string by_step(const Scope& scope, const std::string& key, std::uint32_t step,
                    std::string_view inner, std::string_view outer, const std::string& from) {
  return fmt::format(
      "SELECT b, label, {} FROM (SELECT series, toUInt32(intDiv(toUInt32(t), {}) * {}) AS b, {} {} "
      "GROUP BY series, b) AS h ANY LEFT JOIN (SELECT series, {} AS label FROM {}) AS s USING "
      "series GROUP BY b, label",
      outer, step, step, inner, from, column_of(key), scope.name_of("series"));
}

base::result<void> add_health(Scope& scope, const std::string& key, std::uint32_t step,
                              Timeline& all) {
  using Sum = std::uint64_t;
  const auto rows =
      scope.store()
          .rows<std::uint32_t, std::string, Sum, Sum, Sum, Sum, Sum, Sum, Sum, Sum, Sum, Sum, Sum,
                Sum>(by_step(
              scope, key, step,
              "count() AS n, uniqExact(t) AS windows, sum(calls) AS c, sum(gcs) AS g, "
              "sum(pause_ns) AS p, max(pause_max_ns) AS l, sum(alloc_bytes) AS a, "
              "sum(wait_ns) AS w, sum(throws) AS x, sum(events) AS e, sum(lost) AS o",
              "sum(n), count(), sum(windows), sum(c), sum(g), sum(p), max(l), sum(a), sum(w), "
              "sum(x), sum(e), sum(o)",
              scope.of("health_10s", kFinestStep)));
  if (!rows) return base::Unexpected(rows.error());
  for (const auto& [b, label, count, series, windows, calls, gcs, paused, longest, bytes, waited,
                    thrown, events, lost] : *rows) {
    scope.account().rows += count;
    all[{b, label}].add({series, windows * kFinestStep, calls, gcs, paused, longest, bytes, waited,
                         thrown, events, lost, 0});
  }
  return {};
}

base::result<void> add_self(Scope& scope, const std::string& key, std::uint32_t step,
                            Timeline& all) {
  const auto rows = scope.store().rows<std::uint32_t, std::string, std::uint64_t, std::uint64_t>(
      by_step(scope, key, step, "count() AS n, sum(self_ns) AS own", "sum(n), sum(own)",
              scope.of("methods_1m", kSelfStep)));
  if (!rows) return base::Unexpected(rows.error());
  for (const auto& [b, label, count, self] : *rows) {
    scope.account().rows += count;
    all[{b, label}].self += self;
  }
  return {};
}

// Those with the fewest process-seconds are one.
void join_others(Timeline& all, analysis::Table& table) {
  std::map<std::string, std::uint64_t> sums;
  for (const auto& [at, figures] : all) sums[at.second] += figures.seconds;
  if (sums.size() <= kMostLabels) return;
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [label, seconds] : sums) order.emplace_back(seconds, label);
  std::ranges::sort(order, std::greater<>());
  const auto kept = [&](const std::string& label) {
    return std::ranges::any_of(std::span(order).first(kMostLabels),
                               [&](const auto& one) { return one.second == label; });
  };
  Timeline joined;
  for (const auto& [at, figures] : all)
    joined[kept(at.second) ? at : std::pair{at.first, std::string(kOthers)}].add(figures);
  all = std::move(joined);
  table.notes.push_back(fmt::format("{} are the {} with the fewest process-seconds.", kOthers,
                                    order.size() - kMostLabels));
}

analysis::Table empty_timeline(const std::string& key) {
  return analysis::make_table("timeline", "timeline", "Over time",
                              {{"time", "from", Unit::none},
                               {key, key, Unit::none},
                               {"series", "series", Unit::count},
                               {"calls_per_second", "calls/s", Unit::count},
                               {"self_per_process_second", "self/process-s", Unit::nanoseconds},
                               {"paused_share", "paused", Unit::percent},
                               {"longest_pause", "longest", Unit::nanoseconds},
                               {"bytes_per_second", "bytes/s", Unit::bytes},
                               {"lost", "lost", Unit::count},
                               {"process_seconds", "process-s", Unit::count},
                               {"calls", "calls", Unit::count},
                               {"self", "self", Unit::nanoseconds},
                               {"collections", "collections", Unit::count},
                               {"paused_ns", "pauses", Unit::nanoseconds},
                               {"bytes", "bytes", Unit::bytes},
                               {"waited", "waited", Unit::nanoseconds},
                               {"thrown", "thrown", Unit::count},
                               {"events", "events", Unit::count}});
}

void add_step(analysis::Table& table, const Range& range, std::uint32_t step,
              const Timeline::value_type& one) {
  const auto& [at, of] = one;
  // The first and the last step may be cut by the range.
  const std::uint32_t begin = std::max(at.first, range.from);
  const std::uint64_t length = std::min(at.first + std::uint64_t{step}, std::uint64_t{range.to}) -
                               std::min<std::uint64_t>(begin, range.to - 1);
  const bool knows_self = step >= kSelfStep;
  table.rows.push_back({time_text(begin), at.second, of.series, analysis::average(of.calls, length),
                        knows_self ? analysis::average(of.self, of.seconds) : analysis::Cell{},
                        analysis::percent(of.paused, of.seconds * 1'000'000'000), of.longest,
                        analysis::average(of.bytes, length), of.lost, of.seconds, of.calls,
                        knows_self ? analysis::Cell{of.self} : analysis::Cell{}, of.collections,
                        of.paused, of.bytes, of.waited, of.thrown, of.events});
}

}  // namespace

base::result<Answer> ask_timeline(Store& store, const Question& question, const std::string& key,
                                  std::uint32_t asked_step) {
  if (!is_key(key))
    return base::fail(base::Code::usage, fmt::format("--group-by: \"{}\" is no label", key));
  const auto step = step_of(question.range, asked_step);
  if (!step) return base::Unexpected(step.error());
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  Timeline all;
  if (auto done = add_health(*scope, key, *step, all); !done) return base::Unexpected(done.error());
  analysis::Table table = empty_timeline(key);
  if (*step >= kSelfStep) {
    if (auto done = add_self(*scope, key, *step, all); !done) return base::Unexpected(done.error());
    table.notes.emplace_back(
        "Self time is that of the 64 methods with the most of each process and minute.");
  } else {
    table.notes.emplace_back("Self time is known by the minute.");
  }
  join_others(all, table);
  for (const auto& one : all) add_step(table, question.range, *step, one);
  table.notes.push_back(fmt::format("Steps of {} s.", *step));
  sort_and_limit(table, question.table, {});
  return Answer{std::move(scope->account()), {std::move(table)}};
}

}  // namespace polytrace::fleet
