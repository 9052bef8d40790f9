// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "fleet/questions.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;

constexpr std::int64_t kTraceSecond = 1'000'000'000;

// Those that overlap the range. The table has no hours: it has few rows.
std::string traces_sql(Scope& scope) {
  const Range& range = scope.question().range;
  return fmt::format(
      "SELECT first_ns, last_ns, events, bytes, lost, service_name, version, host, instance, why, "
      "place, lower(hex(digest)) FROM (SELECT series, first_ns, last_ns, events, bytes, lost, why, "
      "place, digest FROM {} FINAL WHERE first_ns < {} AND last_ns >= {}) AS t ANY INNER JOIN "
      "(SELECT series, service_name, version, host, instance FROM {} WHERE {}) AS s USING series",
      scope.name_of("traces"), range.to * kTraceSecond, range.from * kTraceSecond,
      scope.name_of("series"), to_sql(scope.question().where));
}

}  // namespace

base::result<Answer> ask_traces(Store& store, const Question& question) {
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  scope->tell_gone("traces");
  const auto rows = store.rows<std::int64_t, std::int64_t, std::uint64_t, std::uint64_t,
                               std::uint64_t, std::string, std::string, std::string, std::string,
                               std::string, std::string, std::string>(traces_sql(*scope));
  if (!rows) return base::Unexpected(rows.error());
  analysis::Table table = analysis::make_table("traces", "traces", "Traces",
                                               {{"first", "first event", Unit::none},
                                                {"length", "length", Unit::nanoseconds},
                                                {"events", "events", Unit::count},
                                                {"lost", "lost", Unit::count},
                                                {"bytes", "bytes", Unit::bytes},
                                                {"service", "service", Unit::none},
                                                {"version", "version", Unit::none},
                                                {"host", "host", Unit::none},
                                                {"instance", "instance", Unit::none},
                                                {"why", "why", Unit::none},
                                                {"place", "place", Unit::none},
                                                {"digest", "digest", Unit::none}});
  for (const auto& [first, last, events, bytes, lost, service, version, host, instance, why, place,
                    digest] : *rows)
    table.rows.push_back({time_text(static_cast<std::uint32_t>(first / kTraceSecond)), last - first,
                          events, lost, bytes, service, version, host, instance, why, place,
                          digest});
  scope->account().rows += rows->size();
  sort_and_limit(table, question.table, "first");
  return Answer{std::move(scope->account()), {std::move(table)}};
}

}  // namespace polytrace::fleet
