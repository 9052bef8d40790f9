// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
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

constexpr std::size_t kMostRows = 1'000'000;  // of what is compared

// What is compared: the rows, and how people speak of them.
struct Subject {
  Tiers tiers;
  std::string_view id, weight, count, where;             // columns and a condition
  std::string_view table, title, name;                   // of the answer, and its last column
  std::string_view weight_key, weight_title, count_key;  // "self": "self_before", "self before"
  Unit unit;
};
const Subject& subject_of(DiffBy by) {
  static constexpr Subject kSubjects[]{
      {kMethodTiers, "method", "self_ns", "calls", "", "methods", "Methods", "method", "self",
       "self", "calls", Unit::nanoseconds},
      {kProfileTiers, "stack", "weight", "count", " AND carrier = 0", "stacks", "Stacks", "stack",
       "self", "self", "calls", Unit::nanoseconds},
      {kProfileTiers, "subject", "weight", "count", " AND carrier = 3", "classes",
       "Allocated types", "class", "bytes", "bytes", "objects", Unit::bytes}};
  return kSubjects[static_cast<std::size_t>(by)];
}

// Of one subject. `squares`: of what the rates of hosts differ from their mean.
struct SubjectSums {
  std::uint64_t weight = 0, count = 0;
  double squares = 0;
};
// One side of the comparison.
template <class Id>
struct Side {
  Account account;
  std::uint64_t hosts = 0;
  std::map<Id, SubjectSums> sums;
  bool knows_hosts = true;
};
template <class Id>
using Sides = std::array<Side<Id>, 2>;
// For a second of a process.
struct Rates {
  double weight = 0, count = 0;
  double variance = 0;  // of the mean of the weight, by host; not known of one host
};

// Of each host of one side how long it was recorded.
std::string hosts_of(Scope& scope, std::string_view side) {
  return fmt::format(
      "SELECT {} AS label, sum(seconds) AS span FROM ({}) AS h ANY LEFT JOIN (SELECT series, host "
      "FROM {}) AS s USING series GROUP BY host",
      hash_of_side("host", side), scope.seconds_of_series(0), scope.name_of("series"));
}

// Of each subject of each side how many rows, how much, how often, and the squares, which the store
// adds up: pairs of a subject and a host are many. A host without rows of it has the rate 0.
std::string sums_of(const Subject& what, const std::string& rows, const std::string& hosts,
                    std::uint64_t hosts_before, std::uint64_t hosts_after) {
  const std::string by_host = fmt::format(
      "SELECT {0}, {3} AS side, n, own, times, span, if(span = 0, toFloat64(0), own / span) AS "
      "rate FROM (SELECT {0}, label, count() AS n, sum({1}) AS own, sum({2}) AS times {4} GROUP BY "
      "{0}, label) AS f ANY LEFT JOIN ({5}) AS g USING label",
      what.id, what.weight, what.count, side_of("label"), rows, hosts);
  const std::string count =
      fmt::format("if(side = 1, {}, {})", std::max<std::uint64_t>(hosts_before, 1),
                  std::max<std::uint64_t>(hosts_after, 1));
  return fmt::format(
      "SELECT {0}, side, row_sum, own_sum, time_sum, arraySum(arrayMap(x -> (x - mean) * (x - "
      "mean), rates)) + ({1} - length(rates)) * mean * mean FROM (SELECT {0}, side, sum(n) AS "
      "row_sum, sum(own) AS own_sum, sum(times) AS time_sum, sum(rate) / {1} AS mean, "
      "groupArrayIf(rate, span != 0) AS rates FROM ({2}) AS r GROUP BY {0}, side ORDER BY own_sum "
      "DESC LIMIT {3} BY side) AS q",
      what.id, count, by_host, kMostRows);
}

// The first is what is compared with.
template <class Id>
base::result<Sides<Id>> ask_sides(Store& store, const Question& before, const Question& after,
                                  const Subject& what) {
  auto old = Scope::open(store, before);
  if (!old) return base::Unexpected(old.error());
  auto now = Scope::open(store, after);
  if (!now) return base::Unexpected(now.error());
  const auto rows = Scope::rows_of_both(*old, *now, what.tiers,
                                        fmt::format("{}, {}, {}", what.id, what.weight, what.count),
                                        {.where = std::string(what.where), .label = "host"});
  if (!rows) return base::Unexpected(rows.error());
  const std::string hosts = hosts_of(*old, "1") + " UNION ALL " + hosts_of(*now, "2");
  const auto counted = store.row<std::uint64_t, std::uint64_t>(fmt::format(
      "SELECT countIf({0} = 1), countIf({0} = 2) FROM ({1}) AS c", side_of("label"), hosts));
  if (!counted) return base::Unexpected(counted.error());
  const auto [hosts_before, hosts_after] = *counted;
  const auto sums =
      store.rows<Id, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, double>(
          sums_of(what, *rows, hosts, hosts_before, hosts_after));
  if (!sums) return base::Unexpected(sums.error());
  Sides<Id> sides;
  sides[0].account = std::move(old->account());
  sides[1].account = std::move(now->account());
  sides[0].hosts = hosts_before;
  sides[1].hosts = hosts_after;
  for (const auto& [id, side, count, weight, times, squares] : *sums) {
    Side<Id>& of = sides[side == 1 ? 0 : 1];
    of.account.rows += count;
    of.sums[id] = {weight, times, squares};
  }
  for (Side<Id>& side : sides) {
    for (const Tier& tier : what.tiers.subspan(1))
      side.knows_hosts &=
          std::ranges::find(side.account.tiers, tier.table) == side.account.tiers.end();
    if (side.sums.size() == kMostRows)
      side.account.notes.push_back(
          fmt::format("only the {} {} with the most {}", kMostRows, what.table, what.weight_title));
  }
  return sides;
}

template <class Id>
Rates rates_of(const Side<Id>& side, const Id& id) {
  const auto found = side.sums.find(id);
  const auto seconds = static_cast<double>(side.account.process_seconds);
  if (found == side.sums.end() || seconds == 0) return {};
  const SubjectSums& sums = found->second;
  Rates rates{static_cast<double>(sums.weight) / seconds, static_cast<double>(sums.count) / seconds,
              0};
  const auto hosts = static_cast<double>(side.hosts);
  if (hosts > 1) rates.variance = sums.squares / (hosts - 1) / hosts;
  return rates;
}

analysis::Table empty_diff(const Subject& what) {
  const auto key = [](std::string_view figure, std::string_view side) {
    return fmt::format("{}_{}", figure, side);
  };
  const auto title = [](std::string_view figure, std::string_view side) {
    return fmt::format("{} {}", figure, side);
  };
  return analysis::make_table(
      std::string(what.table), "diff", fmt::format("{}, for a second of a process", what.title),
      {{"change", "change", what.unit},
       {"noise", "noise", what.unit},
       {key(what.weight_key, "before"), title(what.weight_title, "before"), what.unit},
       {key(what.weight_key, "after"), title(what.weight_title, "after"), what.unit},
       {"ratio", "ratio", Unit::count},
       {key(what.count_key, "before"), title(what.count_key, "before"), Unit::count},
       {key(what.count_key, "after"), title(what.count_key, "after"), Unit::count},
       {"beyond_noise", "beyond noise", Unit::none},
       {std::string(what.name), std::string(what.name), Unit::none}});
}

base::result<void> load(Frames& frames, const std::vector<std::uint64_t>& ids) {
  return frames.load_frames(ids);
}
base::result<void> load(Frames& frames, const std::vector<warehouse::Id128>& ids) {
  return frames.load_stacks(ids);
}
std::string name_of(const Frames& frames, std::uint64_t id) {
  return id == 0 ? "(not told)" : frames.name(id);
}
// "outermost;...;innermost", as fleet flame --to folded has it.
std::string name_of(const Frames& frames, const warehouse::Id128& id) {
  const auto* const stack = frames.stack(id);
  if (stack == nullptr || stack->empty()) return "(unknown stack)";
  std::string text;
  for (std::size_t i = stack->size(); i-- > 0;)
    text += (text.empty() ? "" : ";") + frames.name((*stack)[i]);
  return text;
}

template <class Id>
base::result<Answer> diff_of(Store& store, const Question& before, const Question& after,
                             const Subject& what) {
  auto sides = ask_sides<Id>(store, before, after, what);
  if (!sides) return base::Unexpected(sides.error());
  auto& [old, now] = *sides;
  std::vector<Id> ids;
  for (const Side<Id>& side : *sides)
    for (const auto& [id, sums] : side.sums) ids.push_back(id);
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Frames frames(store);
  if (auto loaded = load(frames, ids); !loaded) return base::Unexpected(loaded.error());
  const bool knows_hosts = old.knows_hosts && now.knows_hosts;
  const bool has_noise = knows_hosts && old.hosts > 1 && now.hosts > 1;
  analysis::Table table = empty_diff(what);
  for (const Id& id : ids) {
    const Rates was = rates_of(old, id), is = rates_of(now, id);
    const double change = is.weight - was.weight;
    const double noise = 2 * std::sqrt(was.variance + is.variance);
    analysis::Cell noise_cell, verdict, ratio;
    if (has_noise) noise_cell = noise;
    if (has_noise) verdict = std::string(std::abs(change) > noise ? "yes" : "no");
    if (was.weight > 0) ratio = is.weight / was.weight;
    table.rows.push_back({change, noise_cell, was.weight, is.weight, ratio, was.count, is.count,
                          verdict, name_of(frames, id)});
  }
  if (!knows_hosts)
    table.notes.emplace_back(
        fmt::format("Noise is known of rows of processes, not of groups: --resolution {}.",
                    what.tiers.front().resolution == 60 ? "1m" : "10s"));
  else if (!has_noise) table.notes.emplace_back("Noise is known where both sides have two hosts.");
  sort_and_limit(table, after.table, "change");
  return Answer{std::move(now.account), {std::move(table)}, std::move(old.account)};
}

}  // namespace

base::result<Answer> ask_diff(Store& store, const Question& before, const Question& after,
                              DiffBy by) {
  const Subject& what = subject_of(by);
  return by == DiffBy::stack ? diff_of<warehouse::Id128>(store, before, after, what)
                             : diff_of<std::uint64_t>(store, before, after, what);
}

}  // namespace polytrace::fleet
