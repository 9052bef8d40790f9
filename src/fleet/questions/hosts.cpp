// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "fleet/questions.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;

constexpr std::size_t kFewestHosts = 3;
constexpr double kMostDeviations = 3, kMostRatio = 1.5;

struct HostRate {
  std::string service, version, host;
  double rate;  // for a second of a process
};
using Groups = std::map<std::uint64_t, std::vector<HostRate>>;

struct Figured {
  std::string_view title, table, sum;
  std::uint32_t resolution;
  Unit unit;
};
const Figured& figured(HostFigure figure) {
  static constexpr Figured kFigures[]{
      {"Pauses", "health_10s", "sum(pause_ns)", 10, Unit::nanoseconds},
      {"Self time", "methods_1m", "sum(self_ns)", 60, Unit::nanoseconds},
      {"Allocation", "health_10s", "sum(alloc_bytes)", 10, Unit::bytes}};
  return kFigures[static_cast<std::size_t>(figure)];
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

base::result<Groups> rates(Scope& scope, const Figured& figure) {
  const auto rows =
      scope.store()
          .rows<std::uint64_t, std::string, std::string, std::string, std::uint64_t, std::uint64_t,
                std::uint64_t>(fmt::format(
              "SELECT grp, any(service_name), any(version), host, sum(value), sum(seconds), "
              "sum(n) FROM (SELECT series, value, seconds, n FROM ({}) AS a ANY LEFT JOIN "
              "(SELECT series, {} AS value, count() AS n {} GROUP BY series) AS b USING series) AS "
              "c ANY LEFT JOIN "
              "(SELECT series, grp, service_name, version, host FROM {}) AS s USING series GROUP "
              "BY grp, host ORDER BY grp, host",
              scope.seconds_of_series(10), figure.sum, scope.of(figure.table, figure.resolution),
              scope.name_of("series")));
  if (!rows) return base::Unexpected(rows.error());
  Groups groups;
  for (const auto& [group, service, version, host, value, seconds, count] : *rows) {
    scope.account().rows += count;
    if (seconds != 0)
      groups[group].push_back(
          {service, version, host, static_cast<double>(value) / static_cast<double>(seconds)});
  }
  return groups;
}

void add_far_ones(analysis::Table& table, const std::vector<HostRate>& hosts) {
  std::vector<double> values, distances;
  for (const HostRate& host : hosts) values.push_back(host.rate);
  const double middle = median(values);
  for (const double value : values) distances.push_back(std::abs(value - middle));
  const double deviation = median(distances);
  for (const HostRate& host : hosts) {
    const double distance = std::abs(host.rate - middle);
    const bool is_far = distance > kMostDeviations * deviation &&
                        (host.rate > middle * kMostRatio || host.rate * kMostRatio < middle);
    if (!is_far) continue;
    const auto cell = [](double part, double whole) {
      return whole > 0 ? analysis::Cell(part / whole) : analysis::Cell();
    };
    table.rows.push_back({cell(host.rate, middle), host.rate, middle, cell(distance, deviation),
                          host.service, host.version, host.host});
  }
}

}  // namespace

std::optional<HostFigure> find_host_figure(std::string_view word) {
  if (word == "pauses") return HostFigure::pauses;
  if (word == "self") return HostFigure::self;
  if (word == "alloc") return HostFigure::alloc;
  return std::nullopt;
}

base::result<Answer> ask_hosts(Store& store, const Question& question, HostFigure figure) {
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  const Figured& what = figured(figure);
  auto groups = rates(*scope, what);
  if (!groups) return base::Unexpected(groups.error());
  analysis::Table table =
      analysis::make_table("hosts", "hosts", fmt::format("Hosts unlike the others: {}", what.title),
                           {{"ratio", "ratio", Unit::count},
                            {"per_process_second", "per process-s", what.unit},
                            {"median", "median of the group", what.unit},
                            {"deviations", "deviations", Unit::count},
                            {"service", "service", Unit::none},
                            {"version", "version", Unit::none},
                            {"host", "host", Unit::none}});
  Account& account = scope->account();
  std::size_t small = 0, compared = 0;
  for (const auto& [group, hosts] : *groups) {
    if (hosts.size() < kFewestHosts) ++small;
    else compared += hosts.size(), add_far_ones(table, hosts);
  }
  account.notes.push_back(fmt::format("{} hosts compared with others of their group", compared));
  if (small != 0)
    account.notes.push_back(
        fmt::format("{} groups of fewer than {} hosts: not compared", small, kFewestHosts));
  sort_and_limit(table, question.table, "ratio");
  return Answer{std::move(account), {std::move(table)}};
}

}  // namespace polytrace::fleet
