// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/codes.hpp"
#include "fleet/questions.hpp"
#include "fleet/questions/sketch.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;

constexpr unsigned kPauseMoments = 2;  // as `moments` numbers its kinds
constexpr std::uint64_t kNsOfSecond = 1'000'000'000;

base::result<analysis::Table> longest_pauses(Scope& scope) {
  const analysis::TableOptions& options = scope.question().table;
  const auto rows = scope.store()
                        .rows<std::uint32_t, std::int64_t, std::string, std::string, std::string,
                              std::uint64_t, std::uint64_t>(fmt::format(
                            "SELECT t, took, service_name, host, instance, stream, block FROM "
                            "(SELECT series, t, took, stream, block {} AND kind = {} ORDER BY took "
                            "DESC LIMIT {}) AS m ANY LEFT JOIN (SELECT series, service_name, host, "
                            "instance FROM {}) AS s USING series ORDER BY took DESC, t",
                            scope.of("moments", 0), kPauseMoments,
                            options.limit == 0 ? 1000 : options.limit, scope.name_of("series")));
  if (!rows) return base::Unexpected(rows.error());
  analysis::Table table = analysis::make_table("longest_pauses", "pauses", "Longest pauses",
                                               {{"took", "took", Unit::nanoseconds},
                                                {"window", "within 10 s from", Unit::none},
                                                {"service", "service", Unit::none},
                                                {"host", "host", Unit::none},
                                                {"instance", "instance", Unit::none},
                                                {"stream", "stream", Unit::address},
                                                {"block", "block", Unit::count}});
  for (const auto& [t, took, service, host, instance, stream, block] : *rows)
    table.rows.push_back({took, time_text(t), service, host, instance, stream, block});
  return table;
}

}  // namespace

base::result<Answer> ask_pauses(Store& store, const Question& question, const std::string& key) {
  if (!is_key(key))
    return base::fail(base::Code::usage, fmt::format("--group-by: \"{}\" is no label", key));
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  const auto rows = store.rows<std::string, std::uint64_t, std::uint64_t, std::uint64_t,
                               std::uint64_t, std::uint64_t, std::uint64_t,
                               std::vector<std::uint16_t>, std::vector<std::uint64_t>>(fmt::format(
      "SELECT label, sum(n), count(), sum(windows), sum(collections), sum(paused), max(longest), "
      "sumMap(tupleElement(lengths, 1), tupleElement(lengths, 2)) FROM (SELECT series, count() AS "
      "n, uniqExact(t) AS windows, sum(gcs) AS collections, sum(pause_ns) AS paused, "
      "max(pause_max_ns) AS longest, sumMap(pause_bucket, arrayMap(x -> toUInt64(x), "
      "pause_tally)) AS lengths {} GROUP BY series) AS h ANY LEFT JOIN (SELECT series, {} AS label "
      "FROM {}) AS s USING series GROUP BY label",
      scope->of("health_10s", 10), column_of(key), scope->name_of("series")));
  if (!rows) return base::Unexpected(rows.error());
  analysis::Table table = analysis::make_table("pauses", "pauses", "Pauses",
                                               {{"paused", "paused", Unit::nanoseconds},
                                                {"share", "of time", Unit::percent},
                                                {"collections", "collections", Unit::count},
                                                {"p50", "p50", Unit::nanoseconds},
                                                {"p95", "p95", Unit::nanoseconds},
                                                {"p99", "p99", Unit::nanoseconds},
                                                {"max", "max", Unit::nanoseconds},
                                                {"series", "series", Unit::count},
                                                {key, key, Unit::none}});
  Account& account = scope->account();
  for (const auto& [label, count, series, windows, gcs, paused, longest, bucket, tally] : *rows) {
    account.rows += count;
    auto [p50, p95, p99] = quantiles(bucket, tally);
    table.rows.push_back({paused, analysis::percent(paused, windows * 10 * kNsOfSecond), gcs, p50,
                          p95, p99, longest, series, label});
  }
  sort_and_limit(table, question.table, "paused");
  auto longest = longest_pauses(*scope);
  if (!longest) return base::Unexpected(longest.error());
  return Answer{std::move(account), {std::move(table), std::move(*longest)}};
}

}  // namespace polytrace::fleet
