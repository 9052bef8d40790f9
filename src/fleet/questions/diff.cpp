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
constexpr std::size_t kMostIds = 2000;        // beyond, noise is asked of all
// Columns of the table, in empty_diff()'s order.
constexpr std::size_t kChange = 0, kNoise = 1, kVerdict = 7;
constexpr std::string_view kNoiseKey = "noise", kVerdictKey = "beyond_noise";

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

// Of one subject.
struct SubjectSums {
  std::uint64_t weight = 0, count = 0;
};
// One side of the comparison.
template <class Id>
struct Side {
  double seconds = 0;  // of all its processes
  std::map<Id, SubjectSums> sums{};
  std::uint64_t hosts = 0;
  std::map<Id, double> variances{};  // of the mean of the weight, by host; of what was asked for
};
template <class Id>
using Sides = std::array<Side<Id>, 2>;
// For a second of a process.
struct Rates {
  double weight = 0, count = 0;
};

// The two questions, before first; both are asked of the store at once.
struct Pair {
  Scope before, after;

  bool knows_hosts(const Subject& what) {
    for (Scope* const scope : {&before, &after})
      for (const Tier& tier : what.tiers.subspan(1))
        if (std::ranges::find(scope->account().tiers, tier.table) != scope->account().tiers.end())
          return false;
    return true;
  }
};

// Of each subject of each side how many rows, how much, how often.
template <class Id>
base::result<void> ask_sums(Pair& pair, const Subject& what, Sides<Id>& sides) {
  const auto rows = Scope::rows_of_both(pair.before, pair.after, what.tiers,
                                        fmt::format("{}, {}, {}", what.id, what.weight, what.count),
                                        {.where = std::string(what.where)});
  if (!rows) return base::Unexpected(rows.error());
  const auto sums =
      pair.after.store().rows<Id, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>(
          fmt::format("SELECT {0}, {1} AS side, count(), sum({2}) AS own, sum({3}) {4} GROUP BY "
                      "{0}, side ORDER BY own DESC LIMIT {5} BY side",
                      what.id, side_of("label"), what.weight, what.count, *rows, kMostRows));
  if (!sums) return base::Unexpected(sums.error());
  std::array<Account*, 2> accounts{&pair.before.account(), &pair.after.account()};
  for (const auto& [id, number, count, weight, times] : *sums) {
    sides[number - 1].sums[id] = {weight, times};
    accounts[number - 1]->rows += count;
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    sides[i].seconds = static_cast<double>(accounts[i]->process_seconds);
    if (sides[i].sums.size() == kMostRows)
      accounts[i]->notes.push_back(
          fmt::format("only the {} {} with the most {}", kMostRows, what.table, what.weight_title));
  }
  return {};
}

// Of each host of one side how long it was recorded.
std::string hosts_of(Scope& scope, std::string_view side) {
  return fmt::format(
      "SELECT {} AS label, sum(seconds) AS span FROM ({}) AS h ANY LEFT JOIN (SELECT series, host "
      "FROM {}) AS s USING series GROUP BY host",
      hash_of_side("host", side), scope.seconds_of_series(0), scope.name_of("series"));
}
std::string hosts_of(Pair& pair) {
  return hosts_of(pair.before, "1") + " UNION ALL " + hosts_of(pair.after, "2");
}

template <class Id>
base::result<void> count_hosts(Pair& pair, Sides<Id>& sides) {
  const auto counted = pair.after.store().row<std::uint64_t, std::uint64_t>(
      fmt::format("SELECT countIf({0} = 1), countIf({0} = 2) FROM ({1}) AS c", side_of("label"),
                  hosts_of(pair)));
  if (counted) std::tie(sides[0].hosts, sides[1].hosts) = *counted;
  return counted.map([](const auto&) {});
}

std::string to_sql(std::uint64_t id) { return fmt::to_string(id); }
std::string to_sql(const warehouse::Id128& id) {
  std::string digits;
  for (const std::byte byte : id) digits += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return fmt::format("unhex('{}')", digits);
}
// In the statement itself: with its series it is too long to stand beside ids.
template <class Id>
std::string is_one_of(const Subject& what, const std::vector<Id>& ids) {
  if (ids.size() > kMostIds) return std::string(what.where);
  std::string list;
  for (const Id& id : ids) list += (list.empty() ? "" : ", ") + to_sql(id);
  return fmt::format("{} AND {} IN ({})", what.where, what.id, list);
}

// Of some subjects how far the rates of hosts are from their mean. The store adds that up: pairs of
// a subject and a host are many. A host without rows of it has the rate 0.
template <class Id>
base::result<void> ask_variances(Pair& pair, const Subject& what, const std::vector<Id>& ids,
                                 Sides<Id>& sides) {
  const auto rows = Scope::rows_of_both(pair.before, pair.after, what.tiers,
                                        fmt::format("{}, {}", what.id, what.weight),
                                        {.where = is_one_of(what, ids), .label = "host"});
  if (!rows) return base::Unexpected(rows.error());
  const std::string by_host = fmt::format(
      "SELECT {0}, {1} AS side, span, if(span = 0, toFloat64(0), own / span) AS rate FROM (SELECT "
      "{0}, label, sum({2}) AS own {3} GROUP BY {0}, label) AS f ANY LEFT JOIN ({4}) AS g USING "
      "label",
      what.id, side_of("label"), what.weight, *rows, hosts_of(pair));
  const auto squares = pair.after.store().rows<Id, std::uint64_t, double>(fmt::format(
      "SELECT {0}, side, arraySum(arrayMap(x -> (x - mean) * (x - mean), rates)) + "
      "({1} - length(rates)) * mean * mean FROM (SELECT {0}, side, sum(rate) / {1} AS "
      "mean, groupArrayIf(rate, span != 0) AS rates FROM ({2}) AS r GROUP BY {0}, "
      "side) AS q",
      what.id, fmt::format("if(side = 1, {}, {})", sides[0].hosts, sides[1].hosts), by_host));
  if (!squares) return base::Unexpected(squares.error());
  for (const auto& [id, number, sum] : *squares) {
    Side<Id>& side = sides[number - 1];
    const auto hosts = static_cast<double>(side.hosts);
    side.variances[id] = sum / (hosts - 1) / hosts;
  }
  return {};
}

template <class Id>
Rates rates_of(const Side<Id>& side, const Id& id) {
  const auto found = side.sums.find(id);
  if (found == side.sums.end() || side.seconds == 0) return {};
  return {static_cast<double>(found->second.weight) / side.seconds,
          static_cast<double>(found->second.count) / side.seconds};
}
template <class Id>
double variance_of(const Side<Id>& side, const Id& id) {
  const auto found = side.variances.find(id);
  return found == side.variances.end() || side.seconds == 0 ? 0 : found->second;
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
       {std::string(kNoiseKey), "noise", what.unit},
       {key(what.weight_key, "before"), title(what.weight_title, "before"), what.unit},
       {key(what.weight_key, "after"), title(what.weight_title, "after"), what.unit},
       {"ratio", "ratio", Unit::count},
       {key(what.count_key, "before"), title(what.count_key, "before"), Unit::count},
       {key(what.count_key, "after"), title(what.count_key, "after"), Unit::count},
       {std::string(kVerdictKey), "beyond noise", Unit::none},
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

// Rows of the table, in order of their ids; the last cell of each is its place in there, until
// it is known which of them are shown.
template <class Id>
base::result<std::vector<Id>> fill(Store& store, const Sides<Id>& sides, analysis::Table& table) {
  std::vector<Id> ids;
  for (const Side<Id>& side : sides)
    for (const auto& [id, sums] : side.sums) ids.push_back(id);
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Frames frames(store);
  if (auto loaded = load(frames, ids); !loaded) return base::Unexpected(loaded.error());
  for (std::uint64_t i = 0; i < ids.size(); ++i) {
    const Rates was = rates_of(sides[0], ids[i]), is = rates_of(sides[1], ids[i]);
    analysis::Cell ratio;
    if (was.weight > 0) ratio = is.weight / was.weight;
    table.rows.push_back({is.weight - was.weight,
                          {},
                          was.weight,
                          is.weight,
                          ratio,
                          was.count,
                          is.count,
                          {},
                          name_of(frames, ids[i]),
                          i});
  }
  return ids;
}

template <class Id>
base::result<void> add_noise(Pair& pair, const Subject& what, const std::vector<Id>& ids,
                             Sides<Id>& sides, analysis::Table& table) {
  std::vector<Id> shown;
  for (const auto& row : table.rows) shown.push_back(ids[std::get<std::uint64_t>(row.back())]);
  if (shown.empty()) return {};
  if (auto asked = ask_variances(pair, what, shown, sides); !asked) return asked;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    auto& row = table.rows[i];
    const double noise =
        2 * std::sqrt(variance_of(sides[0], shown[i]) + variance_of(sides[1], shown[i]));
    row[kNoise] = noise;
    row[kVerdict] = std::string(std::abs(std::get<double>(row[kChange])) > noise ? "yes" : "no");
  }
  return {};
}

template <class Id>
base::result<Answer> diff_of(Store& store, const Question& before, const Question& after,
                             const Subject& what) {
  auto old = Scope::open(store, before);
  if (!old) return base::Unexpected(old.error());
  auto now = Scope::open(store, after);
  if (!now) return base::Unexpected(now.error());
  Pair pair{std::move(*old), std::move(*now)};
  Sides<Id> sides{};
  if (auto asked = ask_sums(pair, what, sides); !asked) return base::Unexpected(asked.error());
  if (auto counted = count_hosts(pair, sides); !counted) return base::Unexpected(counted.error());
  analysis::Table table = empty_diff(what);
  const auto ids = fill(store, sides, table);
  if (!ids) return base::Unexpected(ids.error());
  const bool knows_hosts = pair.knows_hosts(what);
  const bool has_noise = knows_hosts && sides[0].hosts > 1 && sides[1].hosts > 1;
  if (!knows_hosts)
    table.notes.emplace_back(
        fmt::format("Noise is known of rows of processes, not of groups: --resolution {}.",
                    what.tiers.front().resolution == 60 ? "1m" : "10s"));
  else if (!has_noise) table.notes.emplace_back("Noise is known where both sides have two hosts.");
  // The noise of what is shown alone, unless it tells what is shown.
  const std::string& sort = after.table.sort;
  const bool is_first = sort == kNoiseKey || sort == kVerdictKey;
  if (!is_first) sort_and_limit(table, after.table, "change");
  if (has_noise)
    if (auto added = add_noise(pair, what, *ids, sides, table); !added)
      return base::Unexpected(added.error());
  if (is_first) sort_and_limit(table, after.table, "change");
  for (auto& row : table.rows) row.pop_back();
  return Answer{
      std::move(pair.after.account()), {std::move(table)}, std::move(pair.before.account())};
}

}  // namespace

base::result<Answer> ask_diff(Store& store, const Question& before, const Question& after,
                              DiffBy by) {
  const Subject& what = subject_of(by);
  return by == DiffBy::stack ? diff_of<warehouse::Id128>(store, before, after, what)
                             : diff_of<std::uint64_t>(store, before, after, what);
}

}  // namespace polytrace::fleet
