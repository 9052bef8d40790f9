// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "fleet/frames.hpp"
#include "fleet/questions.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;

constexpr std::size_t kMostRows = 1'000'000;  // methods times hosts

struct OfHost {
  std::uint64_t self = 0, calls = 0;
};
// One side of the comparison.
struct Side {
  Account account;
  std::map<std::string, std::uint64_t> seconds;  // by host
  std::map<std::uint64_t, std::map<std::string, OfHost>> methods;
};
// For a second of a process.
struct Rates {
  double self = 0, calls = 0;
  double variance = 0;  // of the mean of self, by host; not known of one host
};

base::result<Side> ask_side(Store& store, const Question& question) {
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  const std::string by_host = fmt::format(
      "ANY LEFT JOIN (SELECT series, host FROM {}) AS s USING series", scope->name_of("series"));
  const auto seconds = store.rows<std::string, std::uint64_t>(fmt::format(
      "SELECT host, sum(seconds) FROM (SELECT series, uniqExact(t) * 10 AS seconds {} GROUP BY "
      "series) AS h {} GROUP BY host",
      scope->of("health_10s", 10), by_host));
  if (!seconds) return base::Unexpected(seconds.error());
  const auto rows =
      store.rows<std::uint64_t, std::string, std::uint64_t, std::uint64_t, std::uint64_t>(
          fmt::format("SELECT method, host, sum(n), sum(self) AS own, sum(times) FROM (SELECT "
                      "method, series, count() AS n, sum(self_ns) AS self, sum(calls) AS times {} "
                      "GROUP BY method, series) AS m {} GROUP BY method, host ORDER BY own DESC "
                      "LIMIT {}",
                      scope->of("methods_1m", 60), by_host, kMostRows));
  if (!rows) return base::Unexpected(rows.error());
  Side side{std::move(scope->account()), {}, {}};
  for (const auto& [host, length] : *seconds) side.seconds[host] = length;
  for (const auto& [method, host, count, self, calls] : *rows) {
    side.account.rows += count;
    side.methods[method][host] = {self, calls};
  }
  if (rows->size() == kMostRows)
    side.account.notes.push_back(
        fmt::format("only the {} pairs of a method and a host with the most self time", kMostRows));
  return side;
}

Rates rates_of(const Side& side, std::uint64_t method) {
  Rates rates;
  const auto found = side.methods.find(method);
  const auto seconds = static_cast<double>(side.account.process_seconds);
  if (found == side.methods.end() || seconds == 0) return rates;
  for (const auto& [host, figures] : found->second) {
    rates.self += static_cast<double>(figures.self) / seconds;
    rates.calls += static_cast<double>(figures.calls) / seconds;
  }
  const auto hosts = static_cast<double>(side.seconds.size());
  double squares = 0, mean = 0;
  const auto rate = [&](const std::string& host, std::uint64_t length) {
    const auto own = found->second.find(host);
    return own == found->second.end() || length == 0
               ? 0.0
               : static_cast<double>(own->second.self) / static_cast<double>(length);
  };
  for (const auto& [host, length] : side.seconds) mean += rate(host, length) / hosts;
  for (const auto& [host, length] : side.seconds) squares += std::pow(rate(host, length) - mean, 2);
  if (hosts > 1) rates.variance = squares / (hosts - 1) / hosts;
  return rates;
}

analysis::Table empty_diff() {
  return analysis::make_table("methods", "diff", "Methods, for a second of a process",
                              {{"change", "change", Unit::nanoseconds},
                               {"noise", "noise", Unit::nanoseconds},
                               {"self_before", "self before", Unit::nanoseconds},
                               {"self_after", "self after", Unit::nanoseconds},
                               {"ratio", "ratio", Unit::count},
                               {"calls_before", "calls before", Unit::count},
                               {"calls_after", "calls after", Unit::count},
                               {"beyond_noise", "beyond noise", Unit::none},
                               {"method", "method", Unit::none}});
}

}  // namespace

base::result<Answer> ask_diff(Store& store, const Question& before, const Question& after) {
  auto old = ask_side(store, before);
  if (!old) return base::Unexpected(old.error());
  auto now = ask_side(store, after);
  if (!now) return base::Unexpected(now.error());
  std::vector<std::uint64_t> ids;
  for (const Side* side : {&*old, &*now})
    for (const auto& [method, hosts] : side->methods) ids.push_back(method);
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Frames frames(store);
  if (auto loaded = frames.load_frames(ids); !loaded) return base::Unexpected(loaded.error());
  const bool has_noise = old->seconds.size() > 1 && now->seconds.size() > 1;
  analysis::Table table = empty_diff();
  for (const std::uint64_t id : ids) {
    const Rates was = rates_of(*old, id), is = rates_of(*now, id);
    const double change = is.self - was.self;
    const double noise = 2 * std::sqrt(was.variance + is.variance);
    analysis::Cell noise_cell, verdict, ratio;
    if (has_noise) noise_cell = noise;
    if (has_noise) verdict = std::string(std::abs(change) > noise ? "yes" : "no");
    if (was.self > 0) ratio = is.self / was.self;
    table.rows.push_back({change, noise_cell, was.self, is.self, ratio, was.calls, is.calls,
                          verdict, frames.name(id)});
  }
  if (!has_noise) table.notes.emplace_back("Noise is known where both sides have two hosts.");
  sort_and_limit(table, after.table, "change");
  return Answer{std::move(now->account), {std::move(table)}, std::move(old->account)};
}

}  // namespace polytrace::fleet
