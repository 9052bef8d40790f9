// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/table/cells.hpp"
#include "fleet/operate/operations.hpp"
#include "fleet/tiers.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;
using base::result;

// Of one hour of one table.
struct HourSums {
  std::uint64_t rows = 0, count = 0, weight = 0;
  bool operator==(const HourSums&) const = default;
};
struct ToldSums {
  HourSums sums;
  std::uint64_t edges = 0;
  std::vector<std::string> names;  // some of them
};
using SumsByHour = std::map<std::uint32_t, HourSums>;

// What control totals add up of a table (collector/send/blocks.cpp tells them).
struct Totalled {
  std::string_view table, count, weight, hour;
};
constexpr Totalled kTotalled[]{{"profile_10s", "sum(count)", "sum(weight)", "hour"},
                               {"methods_1m", "sum(calls)", "sum(self_ns)", "hour"},
                               {"health_10s", "sum(calls)", "sum(pause_ns)", "hour"},
                               {"moments", "count()", "sum(toUInt64(took))", "hour"}};
// Tiers, which are held against the finest of theirs.
constexpr std::string_view kHourOfTime = "toUInt32(intDiv(toUInt32(t), 3600))";
constexpr Totalled kCoarser[]{{"profile_1m", "sum(count)", "sum(weight)", "hour"},
                              {"profile_1h", "sum(count)", "sum(weight)", kHourOfTime},
                              {"methods_1h", "sum(calls)", "sum(self_ns)", kHourOfTime}};

class Verifier {
 public:
  Verifier(Store& store, const Range& range) : store_(store), range_(range) {}

  result<Report> run() {
    auto book = TierBook::open(store_, range_);
    if (!book) return base::Unexpected(book.error());
    std::map<std::string_view, SumsByHour> finest;
    for (const Totalled& table : kTotalled) {
      auto there = sums_of(table, true);
      if (!there) return base::Unexpected(there.error());
      if (auto done = compare(table, *there, *book); !done) return base::Unexpected(done.error());
      finest[table.table] = std::move(*there);
    }
    for (const Totalled& table : kCoarser) {
      const auto there = sums_of(table, false);
      if (!there) return base::Unexpected(there.error());
      const bool is_profile = table.table.starts_with("profile");
      const Tiers tiers = is_profile ? Tiers(kProfileTiers) : Tiers(kMethodTiers);
      compare_tier(table, tiers, finest[tiers.front().table], *there, *book);
    }
    return report();
  }

 private:
  // A day at a time: what one question may take of a server.
  result<SumsByHour> sums_of(const Totalled& table, bool is_final) {
    SumsByHour sums;
    for (std::uint32_t from = range_.from; from < range_.to;) {
      const std::uint32_t to = std::min(range_.to, (from / kDay + 1) * kDay);
      const auto rows =
          store_.rows<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>(fmt::format(
              "SELECT {} AS h, count(), {}, {} FROM {}{} WHERE t >= {} AND t < {} GROUP BY h",
              table.hour, table.count, table.weight, store_.name_of(table.table),
              is_final ? " FINAL" : "", from, to));
      if (!rows) return base::Unexpected(rows.error());
      for (const auto& [hour, count, first, second] : *rows) sums[hour] = {count, first, second};
      from = to;
    }
    return sums;
  }

  result<std::map<std::uint32_t, ToldSums>> told(std::string_view table) {
    const auto rows = store_.rows<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t,
                                  std::uint64_t, std::vector<std::string>>(
        fmt::format("SELECT hour, sum(rows), sum(count), sum(weight), uniqExact(edge), "
                    "arraySlice(arraySort(groupUniqArray(edge)), 1, 5) FROM {} FINAL WHERE target "
                    "= '{}' AND hour >= {} AND hour <= {} GROUP BY hour",
                    store_.name_of("batches"), table, range_.first_hour(), range_.last_hour()));
    if (!rows) return base::Unexpected(rows.error());
    std::map<std::uint32_t, ToldSums> told;
    for (const auto& [hour, count, first, second, edges, names] : *rows)
      told[hour] = {{count, first, second}, edges, names};
    return told;
  }

  result<void> compare(const Totalled& table, const SumsByHour& there, const TierBook& book) {
    const auto totals = told(table.table);
    if (!totals) return base::Unexpected(totals.error());
    Checked checked{std::string(table.table)};
    for (const std::uint32_t hour : hours_of(there, *totals)) {
      if (book.is_gone(table.table, hour)) {
        ++checked.gone;
        continue;
      }
      const auto found = totals->find(hour);
      const ToldSums all = found == totals->end() ? ToldSums{} : found->second;
      const HourSums own = at(there, hour);
      count(checked, own);
      if (own != all.sums) differ(checked, hour, all, own);
    }
    checked_.push_back(std::move(checked));
    return {};
  }

  void compare_tier(const Totalled& table, Tiers tiers, const SumsByHour& finest,
                    const SumsByHour& there, const TierBook& book) {
    const auto tier = static_cast<std::size_t>(std::ranges::find(tiers, table.table, &Tier::table) -
                                               tiers.begin());
    Checked checked{std::string(table.table)};
    for (const std::uint32_t hour : hours_of(there, finest)) {
      if (book.is_gone(tiers.front().table, hour) || book.is_gone(table.table, hour)) {
        ++checked.gone;
        continue;
      }
      if (!book.is_made(tiers, tier, hour)) continue;
      const HourSums own = at(there, hour);
      HourSums right = at(finest, hour);
      count(checked, own);
      right.rows = own.rows;  // fewer than the finest: that is what it is for
      if (own != right) differ(checked, hour, {right, 0, {}}, own);
    }
    checked_.push_back(std::move(checked));
  }

  struct Checked {
    std::string table;
    std::uint64_t hours = 0, rows = 0, different = 0, gone = 0;
  };

  static HourSums at(const SumsByHour& sums, std::uint32_t hour) {
    const auto found = sums.find(hour);
    return found == sums.end() ? HourSums{} : found->second;
  }
  template <class A, class B>
  static std::set<std::uint32_t> hours_of(const A& first, const B& second) {
    std::set<std::uint32_t> hours;
    for (const auto& [hour, sums] : first) hours.insert(hour);
    for (const auto& [hour, sums] : second) hours.insert(hour);
    return hours;
  }
  static void count(Checked& checked, const HourSums& own) {
    ++checked.hours;
    checked.rows += own.rows;
  }
  void differ(Checked& checked, std::uint32_t hour, const ToldSums& told, const HourSums& there) {
    ++checked.different;
    std::string who = fmt::format("{}", fmt::join(told.names, " "));
    if (told.edges > told.names.size())
      who += fmt::format(" and {} others", told.edges - told.names.size());
    differences_.rows.push_back({checked.table, time_text(hour * kHour), told.sums.rows, there.rows,
                                 told.sums.count, there.count, told.sums.weight, there.weight,
                                 std::move(who)});
  }

  Report report() {
    Report report{.operation = "verify", .store = store_.name()};
    analysis::Table table = analysis::make_table("checked", "checked", "Checked",
                                                 {{"table", "table", Unit::none},
                                                  {"hours", "hours", Unit::count},
                                                  {"rows", "rows", Unit::count},
                                                  {"different", "different", Unit::count},
                                                  {"gone", "dropped", Unit::count}});
    std::uint64_t hours = 0, rows = 0, different = 0;
    for (const Checked& checked : checked_) {
      hours += checked.hours;
      rows += checked.rows;
      different += checked.different;
      table.rows.push_back(
          {checked.table, checked.hours, checked.rows, checked.different, checked.gone});
    }
    report.figures = {{"hours_checked", "hours of tables checked", hours},
                      {"rows_checked", "rows", rows},
                      {"hours_different", "hours differ", different}};
    report.is_right = different == 0;
    if (different != 0)
      report.notes.emplace_back(
          "Told is what control totals say; of tiers, what the finest table has. Fewer rows than "
          "told: they did not come, or a collector that was killed made and told some again. "
          "More: whoever sent them was ended before it told.");
    report.tables.push_back(std::move(table));
    report.tables.push_back(std::move(differences_));
    return report;
  }

  Store& store_;
  Range range_;
  std::vector<Checked> checked_;
  analysis::Table differences_ = analysis::make_table("differences", "differences", "Differences",
                                                      {{"table", "table", Unit::none},
                                                       {"hour", "hour", Unit::none},
                                                       {"rows_told", "rows told", Unit::count},
                                                       {"rows", "rows", Unit::count},
                                                       {"count_told", "count told", Unit::count},
                                                       {"count", "count", Unit::count},
                                                       {"weight_told", "weight told", Unit::count},
                                                       {"weight", "weight", Unit::count},
                                                       {"edges", "edges", Unit::none}});
};

}  // namespace

// Whole hours: control totals know no others.
result<Report> verify(Store& store, const Range& range) {
  const std::uint64_t to = (std::uint64_t{range.to} + kHour - 1) / kHour * kHour;
  return Verifier(store, {range.from / kHour * kHour,
                          static_cast<std::uint32_t>(std::min<std::uint64_t>(to, UINT32_MAX))})
      .run();
}

}  // namespace polytrace::fleet
