// SPDX-License-Identifier: Apache-2.0
#include "fleet/tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace polytrace::fleet {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

// A stream that nothing was told of for longer than any collector or agent keeps its blocks is not
// gone on with.
constexpr Kept kKept[]{{"profile_10s", Part::day, 2 * kDay},  {"profile_1m", Part::hour, 30 * kDay},
                       {"profile_1h", Part::day, 400 * kDay}, {"methods_1m", Part::day, 14 * kDay},
                       {"methods_1h", Part::day, 400 * kDay}, {"health_10s", Part::day, 7 * kDay},
                       {"moments", Part::day, 14 * kDay},     {"traces", Part::day, 14 * kDay},
                       {"batches", Part::day, 30 * kDay},     {"streams", Part::none, 30 * kDay}};

Part part_kind(std::string_view table) {
  const auto found = std::ranges::find(kKept, table, &Kept::table);
  return found == std::end(kKept) ? Part::month : found->part;
}

std::uint32_t seconds_of(sys_days day) {
  return static_cast<std::uint32_t>(day.time_since_epoch().count()) * kDay;
}

// Adds a range to others in their order: touching ones are one.
void join(std::vector<Range>& ranges, const Range& range) {
  if (!ranges.empty() && ranges.back().to == range.from) ranges.back().to = range.to;
  else ranges.push_back(range);
}

// The tiers in the order in which they are tried.
std::vector<std::size_t> in_order(std::size_t wanted, std::size_t coarsest) {
  std::vector<std::size_t> order;
  for (std::size_t tier = wanted + 1; tier-- > 0;) order.push_back(tier);
  for (std::size_t tier = wanted + 1; tier <= coarsest; ++tier) order.push_back(tier);
  return order;
}

// The part of one hour from the first of `order` that has it, what it has not whole from the next.
void choose(Tiers tiers, const Range& part, std::span<const std::size_t> order,
            TierChoice& choice) {
  if (part.from >= part.to) return;
  if (order.empty()) {
    choice.left_out += part.seconds();
    return;
  }
  const std::size_t tier = order.front();
  const std::uint32_t unit = tier == 0 ? 1 : tiers[tier].resolution;
  const Range core{(part.from + unit - 1) / unit * unit, part.to / unit * unit};
  if (core.from >= core.to) return choose(tiers, part, order.subspan(1), choice);
  choose(tiers, {part.from, core.from}, order.subspan(1), choice);
  join(choice.ranges[tier], core);
  choose(tiers, {core.to, part.to}, order.subspan(1), choice);
}

}  // namespace

std::span<const Kept> kept_tables() { return kKept; }

std::uint32_t part_of_hour(Part part, std::uint32_t hour) {
  if (part == Part::hour) return hour;
  const year_month_day date{sys_days{std::chrono::days{hour / 24}}};
  const auto month = static_cast<std::uint32_t>(static_cast<int>(date.year())) * 100 +
                     static_cast<unsigned>(date.month());
  return part == Part::month ? month : month * 100 + static_cast<unsigned>(date.day());
}

Range range_of_part(Part part, std::uint32_t number) {
  if (part == Part::hour)
    return number < UINT32_MAX / kHour ? Range{number * kHour, (number + 1) * kHour} : Range{};
  const std::uint32_t month = part == Part::day ? number / 100 : number;
  const std::chrono::day day{part == Part::day ? number % 100 : 1};
  const year_month_day first{std::chrono::year{static_cast<int>(month / 100)},
                             std::chrono::month{month % 100}, day};
  if (!first.ok() || month < 1970'01 || month > 2105'12) return {};
  if (part == Part::day)
    return {seconds_of(sys_days{first}), seconds_of(sys_days{first} + std::chrono::days{1})};
  return {seconds_of(sys_days{first}), seconds_of(sys_days{first + std::chrono::months{1}})};
}

base::result<void> require_tiers(Store& store) {
  if (!store.has_tiers())
    return base::fail(base::Code::schema_missing,
                      store.name() + ": its version knows nothing of tiers");
  const auto days = store.row<std::uint32_t, std::uint32_t>(
      "SELECT toUInt32(toDateTime('2026-01-15 00:00:00')), "
      "toUInt32(toDateTime('2026-07-15 00:00:00'))");
  if (!days) return base::Unexpected(days.error());
  if (*days == std::tuple(1'768'435'200U, 1'784'073'600U)) return {};
  return base::fail(base::Code::usage,
                    store.name() +
                        ": the server's days are not those of UTC, which tiers need: set its "
                        "<timezone> to UTC");
}

base::result<TierBook> TierBook::open(Store& store, const Range& range) {
  TierBook book;
  const std::string hours =
      fmt::format("hour >= {} AND hour <= {}", range.first_hour(), range.last_hour());
  // What was sent again replaces itself; it changes nothing that was rolled.
  const auto prints = store.rows<std::string, std::uint32_t, std::uint64_t>(
      fmt::format("SELECT target, hour, sum(cityHash64(edge, number, rows, count, weight)) FROM {} "
                  "FINAL WHERE {} GROUP BY target, hour",
                  store.name_of("batches"), hours));
  if (!prints) return base::Unexpected(prints.error());
  for (const auto& [table, hour, print] : *prints) book.prints_[{table, hour}] = print;
  if (!store.has_tiers()) return book;
  const auto notes = store.rows<std::string, std::uint32_t, std::uint64_t, std::uint64_t,
                                std::uint64_t, std::uint64_t>(
      // One of each shard: they fit together where each is what its own rows are.
      fmt::format(
          "SELECT target, hour, sum(print), sum(rows), sum(count), sum(weight) FROM {} FINAL "
          "WHERE {} GROUP BY target, hour",
          store.name_of("rolls"), hours));
  if (!notes) return base::Unexpected(notes.error());
  for (const auto& [table, hour, print, rows, count, weight] : *notes)
    book.notes_[{table, hour}] = {print, rows, count, weight};
  const auto drops = store.rows<std::string, std::uint32_t>(
      fmt::format("SELECT DISTINCT target, part FROM {}", store.name_of("drops")));
  if (!drops) return base::Unexpected(drops.error());
  for (const auto& [table, part] : *drops) book.drops_.insert({table, part});
  return book;
}

bool TierBook::is_gone(std::string_view table, std::uint32_t hour) const {
  return drops_.contains({std::string(table), part_of_hour(part_kind(table), hour)});
}

const RollNote* TierBook::note(std::string_view table, std::uint32_t hour) const {
  const auto found = notes_.find({std::string(table), hour});
  return found == notes_.end() ? nullptr : &found->second;
}

std::uint64_t TierBook::print(std::string_view table, std::uint32_t hour) const {
  const auto found = prints_.find({std::string(table), hour});
  return found == prints_.end() ? 0 : found->second;
}

bool TierBook::is_made(Tiers tiers, std::size_t tier, std::uint32_t hour) const {
  const RollNote* const own = note(tiers[tier].table, hour);
  if (own == nullptr || is_gone(tiers[tier].table, hour)) return false;
  const std::string_view finest = tiers.front().table;
  if (!is_gone(finest, hour)) return own->print == print(finest, hour);
  // What came later than the last roll was dropped with the finest rows: the finer tier is right.
  const std::string_view finer = tiers[tier - 1].table;
  const RollNote* const source = note(finer, hour);
  return tier == 1 || is_gone(finer, hour) || (source != nullptr && source->print == own->print);
}

std::vector<std::uint32_t> TierBook::told_hours(std::string_view table) const {
  std::vector<std::uint32_t> hours;
  for (const auto& [key, print] : prints_)
    if (key.first == table) hours.push_back(key.second);
  return hours;
}

TierChoice choose_tiers(Tiers tiers, const Range& range, std::size_t wanted, std::size_t coarsest,
                        const std::function<bool(std::size_t tier, std::uint32_t hour)>& is_there) {
  TierChoice choice{std::vector<std::vector<Range>>(tiers.size()), 0};
  const std::vector<std::size_t> order = in_order(wanted, coarsest);
  for (std::uint32_t hour = range.first_hour(); hour <= range.last_hour(); ++hour) {
    std::vector<std::size_t> there;
    for (const std::size_t tier : order)
      if (is_there(tier, hour)) there.push_back(tier);
    const Range part{std::max(range.from, hour * kHour),
                     static_cast<std::uint32_t>(
                         std::min(std::uint64_t{range.to}, (std::uint64_t{hour} + 1) * kHour))};
    choose(tiers, part, there, choice);
  }
  return choice;
}

}  // namespace polytrace::fleet
