// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "event/choice/name_choice.hpp"
#include "fleet/frames.hpp"
#include "fleet/questions.hpp"
#include "fleet/questions/sketch.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;

// Of methods that one question adds up; the lightest of more are left out, and said.
constexpr std::size_t kMostMethods = 200'000;

analysis::Table empty_method_table() {
  return analysis::make_table("methods", "methods", "Methods",
                              {{"self", "self", Unit::nanoseconds},
                               {"total", "total", Unit::nanoseconds},
                               {"calls", "calls", Unit::count},
                               {"calls_per_process_second", "calls/process-s", Unit::count},
                               {"average", "average", Unit::nanoseconds},
                               {"p50", "p50", Unit::nanoseconds},
                               {"p95", "p95", Unit::nanoseconds},
                               {"p99", "p99", Unit::nanoseconds},
                               {"max", "max", Unit::nanoseconds},
                               {"method", "method", Unit::none}});
}

}  // namespace

base::result<Answer> ask_methods(Store& store, const Question& question, const std::string& name) {
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  const auto source = scope->rows_of(kMethodTiers,
                                     "method, calls, self_ns, total_ns, max_ns, bucket, "
                                     "arrayMap(x -> toUInt64(x), tally) AS tallies");
  if (!source) return base::Unexpected(source.error());
  const auto rows =
      store.rows<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                 std::uint64_t, std::vector<std::uint16_t>, std::vector<std::uint64_t>>(
          fmt::format("SELECT method, count(), sum(calls), sum(self_ns) AS s, sum(total_ns), "
                      "max(max_ns), sumMap(bucket, tallies) {} GROUP BY method ORDER BY s DESC "
                      "LIMIT {}",
                      *source, kMostMethods));
  if (!rows) return base::Unexpected(rows.error());
  std::vector<std::uint64_t> ids;
  for (const auto& row : *rows) ids.push_back(std::get<0>(row));
  Frames frames(store);
  if (auto loaded = frames.load_frames(ids); !loaded) return base::Unexpected(loaded.error());
  const event::NameChoice choice(name);
  Account& account = scope->account();
  analysis::Table table = empty_method_table();
  for (const auto& [method, count, calls, self, total, longest, bucket, tally] : *rows) {
    account.rows += count;
    std::string text = frames.name(method);
    if (!choice.is_any() && !choice.has(text)) continue;
    auto [p50, p95, p99] = quantiles(bucket, tally);
    table.rows.push_back({self, total, calls, analysis::average(calls, account.process_seconds),
                          analysis::average(total, calls), p50, p95, p99, longest,
                          std::move(text)});
  }
  if (rows->size() == kMostMethods)
    account.notes.push_back(
        fmt::format("only the {} methods with the most self time", kMostMethods));
  table.notes.emplace_back(
      "Of each process and minute the 64 methods with the most time; fleet flame has all.");
  sort_and_limit(table, question.table, "self");
  return Answer{std::move(account), {std::move(table)}};
}

}  // namespace polytrace::fleet
