// SPDX-License-Identifier: Apache-2.0
// A partition is prepared in a table of this run alone and swapped in. The control totals that
// stood for its rows are looked at before and after: where they changed, another run may have
// swapped in what it read before or after this one, and both make it anew. So the last one has all
// rows. A day is made of minutes that are what was noted of them: for a moment they may be others.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/table/cells.hpp"
#include "base/codes.hpp"
#include "fleet/operate/operations.hpp"
#include "fleet/operate/stage.hpp"
#include "fleet/tiers.hpp"

namespace polytrace::fleet {
namespace {

using base::result;

constexpr int kMostTries = 5;  // then the hour is due again
constexpr std::uint32_t kMostHours = 62 * 24;
// Sorting by groups may go to the server's disk.
const warehouse::Settings kRollSettings{{"max_bytes_before_external_group_by", "4000000000"},
                                        {"max_memory_usage", "10000000000"}};

using Hours = std::vector<std::uint32_t>;

// The tier that is made: from what, and how. {0}: the stage, {1}: the source, {2}: db.series,
// {3}, {4}: from when to when.
struct Making {
  std::string_view target, source;
  bool is_daily;
  std::string_view insert;
  std::string_view sums;  // of the stage, by hour
};
constexpr Making kMakings[]{
    {"profile_1m", "profile_10s", false,
     "INSERT INTO {0} (service, carrier, hour, stack, subject, grp, t, count, weight) SELECT "
     "service, carrier, hour, stack, subject, grp, m, sum(count), sum(weight) FROM (SELECT "
     "service, carrier, hour, stack, subject, series, toStartOfMinute(t) AS m, count, weight FROM "
     "{1} FINAL WHERE hour >= intDiv({3}, 3600) AND hour < intDiv({4}, 3600) AND t >= {3} AND t < "
     "{4}) AS f ANY LEFT JOIN (SELECT series, grp FROM {2}) AS s USING series GROUP BY service, "
     "carrier, hour, stack, subject, grp, m",
     "sum(count), sum(weight)"},
    {"profile_1h", "profile_1m", true,
     "INSERT INTO {0} (service, carrier, stack, subject, grp, t, count, weight) SELECT service, "
     "carrier, stack, subject, grp, toDateTime(hour * 3600), sum(count), sum(weight) FROM {1} "
     "WHERE hour >= intDiv({3}, 3600) AND hour < intDiv({4}, 3600) GROUP BY service, carrier, "
     "stack, subject, grp, hour",
     "sum(count), sum(weight)"},
    {"methods_1h", "methods_1m", true,
     "INSERT INTO {0} (service, method, grp, t, calls, self_ns, total_ns, max_ns, bucket, tally) "
     "SELECT service, method, grp, h, calls, self, total, longest, tupleElement(lengths, 1), "
     "tupleElement(lengths, 2) FROM (SELECT service, method, grp, toDateTime(hour * 3600) AS h, "
     "sum(calls) AS calls, sum(self_ns) AS self, sum(total_ns) AS total, max(max_ns) AS longest, "
     "sumMap(bucket, tallies) AS lengths FROM (SELECT service, method, hour, series, calls, "
     "self_ns, total_ns, max_ns, bucket, arrayMap(x -> toUInt64(x), tally) AS tallies FROM {1} "
     "FINAL WHERE hour >= intDiv({3}, 3600) AND hour < intDiv({4}, 3600) AND t >= {3} AND t < "
     "{4}) AS f ANY LEFT JOIN (SELECT series, grp FROM {2}) AS s USING series GROUP BY service, "
     "method, grp, h) AS m",
     "sum(calls), sum(self_ns)"}};
constexpr const Making &kMinutes = kMakings[0], &kHours = kMakings[1], &kMethods = kMakings[2];

// Whole days: a day is made at once.
Range looked_at(const RollOrder& order) {
  const Range range = order.range ? *order.range : Range{0, order.now};
  const std::uint64_t to = (std::uint64_t{range.to} + kDay - 1) / kDay * kDay;
  return {range.from / kDay * kDay,
          static_cast<std::uint32_t>(std::min<std::uint64_t>(to, UINT32_MAX))};
}

class Roller {
 public:
  Roller(Store& store, const RollOrder& order, TierBook book)
      : store_(store), order_(order), book_(std::move(book)) {}

  result<Report> run() {
    if (auto done = each(kMinutes, due_hours(), 1); !done) return base::Unexpected(done.error());
    // Of what was just noted, too.
    const auto fresh = TierBook::open(store_, looked_at(order_));
    if (!fresh) return base::Unexpected(fresh.error());
    book_ = *fresh;
    for (const Making* making : {&kHours, &kMethods})
      if (auto done = each(*making, due_days(*making), 24); !done)
        return base::Unexpected(done.error());
    return report();
  }

 private:
  Range range() const { return order_.range ? *order_.range : Range{0, order_.now}; }
  bool is_over(std::uint32_t hour, std::uint32_t hours) const {
    return (std::uint64_t{hour} + hours) * kHour + kRollDelay <= order_.now;
  }
  static Hours hours_of(std::uint32_t first, std::uint32_t count) {
    Hours hours(count);
    for (std::uint32_t i = 0; i < count; ++i) hours[i] = first + i;
    return hours;
  }

  Hours due_hours() {
    Hours hours = book_.told_hours(kMinutes.source);
    if (order_.range)
      hours = hours_of(order_.range->first_hour(),
                       order_.range->last_hour() - order_.range->first_hour() + 1);
    std::erase_if(hours, [&](std::uint32_t hour) {
      if (!is_over(hour, 1)) return ++early_, true;
      if (book_.is_gone(kMinutes.source, hour)) return order_.range ? (++gone_, true) : true;
      return !order_.range && book_.is_made(kProfileTiers, 1, hour);
    });
    return hours;
  }
  // The first hour of each.
  Hours due_days(const Making& making) {
    Hours days;
    const auto add = [&](std::uint32_t hour) {
      const std::uint32_t day = hour / 24 * 24;
      if (is_over(day, 24) && (days.empty() || days.back() != day)) days.push_back(day);
    };
    if (order_.range) {
      for (std::uint32_t hour = range().first_hour(); hour <= range().last_hour(); ++hour)
        add(hour);
      return days;
    }
    const bool is_methods = &making == &kMethods;
    for (const std::uint32_t hour :
         book_.told_hours(is_methods ? kMethods.source : kMinutes.source))
      if (is_methods ? !book_.is_gone(making.source, hour) && !book_.is_made(kMethodTiers, 1, hour)
                     : book_.is_made(kProfileTiers, 1, hour) && !is_copied(hour))
        add(hour);
    return days;
  }
  // Whether the tier by the hour has what the one by the minute has.
  bool is_copied(std::uint32_t hour) const {
    const RollNote* const from = book_.note(kHours.source, hour);
    const RollNote* const to = book_.note(kHours.target, hour);
    return from != nullptr && to != nullptr && from->print == to->print;
  }

  result<void> each(const Making& making, const Hours& firsts, std::uint32_t hours) {
    if (firsts.empty()) return {};
    auto stage = Stage::make(store_, making.target);
    if (!stage) return base::Unexpected(stage.error());
    for (const std::uint32_t first : firsts) {
      const Range of{first * kHour, (first + hours) * kHour};
      if (order_.tell) order_.tell(fmt::format("{} of {}", making.target, time_text(of.from)));
      if (auto done = make(making, *stage, of); !done) return done;
    }
    return {};
  }

  // What the partition must be made of, by hour: hours that are not in it are not noted.
  result<std::map<std::uint32_t, std::uint64_t>> prints(const Making& making, const Range& of) {
    const auto book = TierBook::open(store_, of);
    if (!book) return base::Unexpected(book.error());
    std::map<std::uint32_t, std::uint64_t> prints;
    for (std::uint32_t hour = of.first_hour(); hour <= of.last_hour(); ++hour) {
      const RollNote* const note = book->note(making.source, hour);
      if (&making != &kHours) prints[hour] = book->print(making.source, hour);
      else if (note != nullptr) prints[hour] = note->print;
    }
    return prints;
  }

  result<void> make(const Making& making, Stage& stage, const Range& of) {
    if (making.is_daily && lost_source(making, of)) return {};
    const std::uint32_t part =
        part_of_hour(making.is_daily ? Part::day : Part::hour, of.first_hour());
    std::map<std::uint32_t, std::uint64_t> stands_for;
    std::map<std::uint32_t, RollNote> sums;
    bool is_made = false, is_current = false;  // by the last try
    for (int tried = 0; tried < kMostTries && !is_current; ++tried) {
      auto before = prints(making, of);
      if (!before) return base::Unexpected(before.error());
      stands_for = std::move(*before);
      auto staged = prepare(making, stage, of, part);
      if (!staged) return base::Unexpected(staged.error());
      sums = std::move(*staged);
      const auto is_noted = is_as_noted(making, of, sums);
      if (!is_noted) return base::Unexpected(is_noted.error());
      is_made = *is_noted;
      if (!is_made) continue;
      if (has_shrunk(making, of, sums)) return stage.empty(part);
      if (auto done = stage.swap_in(part, sums.empty()); !done) return done;
      const auto after = prints(making, of);
      if (!after) return base::Unexpected(after.error());
      is_current = *after == stands_for;
    }
    if (!is_made) {
      notes_.push_back(
          fmt::format("{} of {} is not made: {} holds other rows than were noted of it; another "
                      "run may be at it",
                      making.target, time_text(of.from), making.source));
      return stage.empty(part);
    }
    // Before it is noted: what is noted is not made again.
    if (auto done = stage.forget_replaced(); !done) return done;
    if (auto done = count_source(making, of); !done) return done;
    if (auto done = stage.empty(part); !done) return done;
    return note(making, stands_for, sums);
  }

  // Rows of the partition by hour.
  result<std::map<std::uint32_t, RollNote>> prepare(const Making& making, Stage& stage,
                                                    const Range& of, std::uint32_t part) {
    if (auto done = stage.empty(part); !done) return base::Unexpected(done.error());
    const auto made = store_.link().run(
        fmt::format(fmt::runtime(making.insert), stage.name(), store_.name_of(making.source),
                    store_.name_of("series"), of.from, of.to),
        kRollSettings);
    if (!made) return base::Unexpected(made.error());
    const auto rows =
        store_.rows<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>(fmt::format(
            "SELECT toUInt32(intDiv(toUInt32(t), 3600)) AS h, count(), {} FROM {} GROUP BY h",
            making.sums, stage.name()));
    if (!rows) return base::Unexpected(rows.error());
    std::map<std::uint32_t, RollNote> sums;
    for (const auto& [hour, count, first, second] : *rows) sums[hour] = {0, count, first, second};
    return sums;
  }

  // Whether the rows that were read of a tier are those that its notes tell of.
  result<bool> is_as_noted(const Making& making, const Range& of,
                           const std::map<std::uint32_t, RollNote>& sums) {
    if (&making != &kHours) return true;
    const auto book = TierBook::open(store_, of);
    if (!book) return base::Unexpected(book.error());
    for (std::uint32_t hour = of.first_hour(); hour <= of.last_hour(); ++hour) {
      const RollNote* const note = book->note(making.source, hour);
      const auto found = sums.find(hour);
      const RollNote is = found == sums.end() ? RollNote{} : found->second;
      if (note != nullptr && (note->count != is.count || note->weight != is.weight)) return false;
    }
    return true;
  }
  // Sums only grow, unless somebody dropped rows that were rolled.
  bool has_shrunk(const Making& making, const Range& of,
                  const std::map<std::uint32_t, RollNote>& sums) {
    for (std::uint32_t hour = of.first_hour(); hour <= of.last_hour(); ++hour) {
      const RollNote* const was = book_.note(making.target, hour);
      const auto is = sums.find(hour);
      const RollNote now = is == sums.end() ? RollNote{} : is->second;
      if (was == nullptr || (now.count >= was->count && now.weight >= was->weight)) continue;
      notes_.push_back(
          fmt::format("{} of {} stays as it was rolled: some of its rows in {} are gone",
                      making.target, time_text(of.from), making.source));
      return true;
    }
    return false;
  }
  bool lost_source(const Making& making, const Range& of) {
    for (std::uint32_t hour = of.first_hour(); hour <= of.last_hour(); ++hour)
      if (book_.is_gone(making.source, hour)) {
        notes_.push_back(fmt::format("{} of {} is not made: rows of {} were dropped", making.target,
                                     time_text(of.from), making.source));
        return true;
      }
    return false;
  }

  result<void> count_source(const Making& making, const Range& of) {
    const auto count = store_.row<std::uint64_t>(
        fmt::format("SELECT count() FROM {} WHERE hour >= {} AND hour <= {}",
                    store_.name_of(making.source), of.first_hour(), of.last_hour()));
    if (!count) return base::Unexpected(count.error());
    done_.push_back({&making, of.from, std::get<0>(*count), 0});
    return {};
  }

  result<void> note(const Making& making, const std::map<std::uint32_t, std::uint64_t>& prints,
                    const std::map<std::uint32_t, RollNote>& sums) {
    base::Appender rows;
    for (const auto& [hour, print] : prints) {
      const auto found = sums.find(hour);
      const RollNote is = found == sums.end() ? RollNote{} : found->second;
      done_.back().rows_out += is.rows;
      warehouse::append_row(warehouse::Roll{std::string(making.target), hour, print, is.rows,
                                            is.count, is.weight, order_.now},
                            rows);
    }
    if (prints.empty()) return {};
    return store_.link().insert(warehouse::Roll::kTable, warehouse::column_names<warehouse::Roll>(),
                                rows.view());
  }

  Report report() {
    using analysis::Unit;
    Report report{.operation = "roll", .store = store_.name()};
    std::uint64_t hours = 0, days = 0, in = 0, out = 0;
    analysis::Table table = analysis::make_table("rolled", "rolled", "Rolled",
                                                 {{"tier", "tier", Unit::none},
                                                  {"from", "from", Unit::none},
                                                  {"rows_in", "rows in", Unit::count},
                                                  {"rows_out", "rows out", Unit::count}});
    for (const Done& done : done_) {
      ++(done.making->is_daily ? days : hours);
      in += done.rows_in;
      out += done.rows_out;
      table.rows.push_back(
          {std::string(done.making->target), time_text(done.from), done.rows_in, done.rows_out});
    }
    report.figures = {{"hours_rolled", "hours rolled", hours},
                      {"days_rolled", "days of tiers by the hour", days},
                      {"rows_in", "rows in", in},
                      {"rows_out", "rows out", out},
                      {"hours_early", "hours not yet over by 15 min", early_}};
    if (gone_ != 0)
      notes_.push_back(fmt::format("{} hours have no rows of 10 s any more: left alone", gone_));
    report.tables.push_back(std::move(table));
    report.notes = std::move(notes_);
    return report;
  }

  struct Done {
    const Making* making;
    std::uint32_t from;
    std::uint64_t rows_in, rows_out;
  };

  Store& store_;
  const RollOrder& order_;
  TierBook book_;
  std::vector<Done> done_;
  std::vector<std::string> notes_;
  std::uint64_t early_ = 0, gone_ = 0;
};

}  // namespace

result<Report> roll(Store& store, const RollOrder& order) {
  if (auto good = require_tiers(store); !good) return base::Unexpected(good.error());
  if (order.range && order.range->last_hour() - order.range->first_hour() >= kMostHours)
    return base::fail(base::Code::usage, "at most 62 days at once");
  auto book = TierBook::open(store, looked_at(order));
  if (!book) return base::Unexpected(book.error());
  return Roller(store, order, std::move(*book)).run();
}

}  // namespace polytrace::fleet
