// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "fleet/questions.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

using analysis::ColumnInfo;
using analysis::Unit;

const std::vector<ColumnInfo> kRecorded{{"process_seconds", "process-s", Unit::count},
                                        {"events", "events", Unit::count},
                                        {"lost", "lost", Unit::count}};

std::vector<ColumnInfo> with_recorded(std::vector<ColumnInfo> columns) {
  columns.insert(columns.end(), kRecorded.begin(), kRecorded.end());
  return columns;
}

std::string recorded_by(Scope& scope, std::string_view key) {
  return fmt::format(
      "SELECT {0}, uniqExact(series, t) * 10 AS seconds, sum(events) AS events, sum(lost) AS lost, "
      "count() AS counted {1} GROUP BY {0}",
      key, scope.of("health_10s", 10));
}

std::string labels_text(const std::vector<std::string>& names,
                        const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
    text += (i == 0 ? "" : " ") + names[i] + '=' + values[i];
  return text;
}

}  // namespace

base::result<Answer> ask_series(Store& store, const Question& question) {
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  using Strings = std::vector<std::string>;
  const auto rows = store.rows<std::string, std::string, std::string, std::string, std::string,
                               std::string, Strings, Strings, std::int32_t, std::uint32_t,
                               std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>(
      fmt::format("SELECT service_name, version, host, instance, runtime, agent, label_names, "
                  "label_values, skew_ms, first, seconds, events, lost, counted FROM (SELECT * "
                  "FROM {} FINAL WHERE "
                  "first < {} AND ({})) AS s ANY LEFT JOIN ({}) AS h USING series",
                  scope->name_of("series"), question.range.to, to_sql(question.where),
                  recorded_by(*scope, "series")));
  if (!rows) return base::Unexpected(rows.error());
  analysis::Table table =
      analysis::make_table("series", "series", "Series",
                           with_recorded({{"service", "service", Unit::none},
                                          {"version", "version", Unit::none},
                                          {"host", "host", Unit::none},
                                          {"instance", "instance", Unit::none},
                                          {"runtime", "runtime", Unit::none},
                                          {"agent", "agent", Unit::none},
                                          {"labels", "labels", Unit::none},
                                          {"first", "first seen", Unit::none},
                                          {"skew_ms", "skew ms", Unit::count}}));
  for (const auto& [service, version, host, instance, runtime, agent, names, values, skew, first,
                    seconds, events, lost, counted] : *rows) {
    scope->account().rows += counted;
    table.rows.push_back({service, version, host, instance, runtime, agent,
                          labels_text(names, values), time_text(first), std::int64_t{skew}, seconds,
                          events, lost});
  }
  sort_and_limit(table, question.table, "events");
  return Answer{std::move(scope->account()), {std::move(table)}};
}

base::result<Answer> ask_services(Store& store, const Question& question) {
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  const auto rows =
      store.rows<std::string, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                 std::uint64_t, std::uint64_t, std::uint64_t>(fmt::format(
          "SELECT any(service_name), uniqExact(series) AS processes, uniqExact(host), "
          "uniqExact(version), sum(seconds), sum(events) AS events, sum(lost), sum(counted) FROM "
          "(SELECT * FROM "
          "{} FINAL WHERE first < {} AND ({})) AS s ANY LEFT JOIN ({}) AS h USING series GROUP BY "
          "service",
          scope->name_of("series"), question.range.to, to_sql(question.where),
          recorded_by(*scope, "series")));
  if (!rows) return base::Unexpected(rows.error());
  analysis::Table table =
      analysis::make_table("services", "services", "Services",
                           with_recorded({{"service", "service", Unit::none},
                                          {"series", "series", Unit::count},
                                          {"hosts", "hosts", Unit::count},
                                          {"versions", "versions", Unit::count}}));
  for (const auto& [service, series, hosts, versions, seconds, events, lost, counted] : *rows) {
    scope->account().rows += counted;
    table.rows.push_back({service, series, hosts, versions, seconds, events, lost});
  }
  sort_and_limit(table, question.table, "events");
  return Answer{std::move(scope->account()), {std::move(table)}};
}

}  // namespace polytrace::fleet
