// SPDX-License-Identifier: Apache-2.0
#include "fleet/scope.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace polytrace::fleet {
namespace {

// Above, the server looks series up by itself.
constexpr std::uint64_t kMostLiterals = 2000;
constexpr std::uint32_t kWindow = 10;  // seconds
constexpr std::string_view kHealth = "health_10s";
// Beyond, finer rows are too many for a question.
constexpr std::uint32_t kMostBy10s = 6 * kHour, kMostBy1m = 3 * kDay;
constexpr std::uint64_t kMostSeriesBy10s = 2000;

// "(hour >= 1 AND hour <= 2 AND t >= 3600 AND t < 7200 OR ...)"; no range: nothing.
std::string within(const std::vector<Range>& ranges, bool has_hours) {
  std::vector<std::string> parts;
  for (const Range& range : ranges)
    parts.push_back((has_hours ? fmt::format("hour >= {} AND hour <= {} AND ", range.first_hour(),
                                             range.last_hour())
                               : std::string()) +
                    fmt::format("t >= {} AND t < {}", range.from, range.to));
  return parts.empty() ? "0" : fmt::format("({})", fmt::join(parts, " OR "));
}

// Of a column `label` the upper bits are the side.
constexpr int kSideShift = 62;

// How the rows of parts stand for a table.
std::string from(const std::vector<std::string>& parts) {
  return fmt::format("FROM ({}) AS p", fmt::join(parts, " UNION ALL "));
}

bool is_of_one_process(std::string_view label) { return label == "host" || label == "instance"; }

std::string resolution_text(std::uint32_t seconds) {
  return seconds == kHour ? "1h" : seconds == 60 ? "1m" : fmt::format("{}s", seconds);
}

}  // namespace

std::string hash_of_side(std::string_view value, std::string_view side) {
  return fmt::format("bitOr(bitAnd(cityHash64({}), {}), bitShiftLeft(toUInt64({}), {}))", value,
                     (std::uint64_t{1} << kSideShift) - 1, side, kSideShift);
}
std::string side_of(std::string_view label) {
  return fmt::format("bitShiftRight({}, {})", label, kSideShift);
}

base::result<Scope> Scope::open(Store& store, const Question& question) {
  auto book = TierBook::open(store, question.range);
  if (!book) return base::Unexpected(book.error());
  Scope scope(store, question, std::move(*book));
  scope.account_.store = store.name();
  scope.account_.range = question.range;
  scope.account_.where = to_text(question.where);
  if (auto done = scope.match(); !done) return base::Unexpected(done.error());
  if (auto done = scope.weigh(); !done) return base::Unexpected(done.error());
  scope.account_.shards = store.shards();
  return scope;
}

// Series are those that had begun: who ended, the rows tell.
base::result<void> Scope::match() {
  const std::string condition =
      fmt::format("WHERE first < {} AND ({})", question_->range.to, to_sql(question_->where));
  matching_ = fmt::format("FROM {} {}", name_of("series"), condition);
  // A shard's own rows are of its own series.
  matching_there_ = fmt::format("FROM {} {}", store_->own_name_of("series"), condition);
  const auto sums = store_->row<std::uint64_t, std::uint64_t>(fmt::format(
      "SELECT uniqExact(series), uniqExactIf(series, host = '(many)' AND last >= {}) {}",
      question_->range.from, matching_));
  if (!sums) return base::Unexpected(sums.error());
  std::tie(account_.series, account_.thinned) = *sums;
  auto of_series = chosen("series");
  if (!of_series) return base::Unexpected(of_series.error());
  chosen_ = std::move(*of_series);
  return {};
}

// What series match, as a condition on `id`, which is `series` or `grp`.
base::result<std::string> Scope::chosen(std::string_view id) {
  std::string condition;
  if (question_->where.kind == Where::Kind::everything) return condition;
  for (const std::string_view column : {std::string_view("service"), id}) {
    const std::string select = fmt::format("SELECT DISTINCT {} {}", column, matching_);
    const auto rows =
        store_->rows<std::uint64_t>(fmt::format("{} LIMIT {}", select, kMostLiterals + 1));
    if (!rows) return base::Unexpected(rows.error());
    std::vector<std::uint64_t> ids{0};  // no id: an empty list is no SQL
    for (const auto& [one] : *rows) ids.push_back(one);
    std::ranges::sort(ids);
    condition += fmt::format(" AND {} IN ({})", column,
                             rows->size() > kMostLiterals
                                 ? fmt::format("SELECT DISTINCT {} {}", column, matching_there_)
                                 : fmt::format("{}", fmt::join(ids, ", ")));
  }
  return condition;
}

base::result<void> Scope::weigh() {
  const Range& range = question_->range;
  // Without control totals nobody knows what was sent twice.
  const auto batches = store_->row<std::uint64_t, std::uint8_t>(
      fmt::format("SELECT count(), max(attempts) FROM {} WHERE hour >= {} AND hour <= {}",
                  name_of("batches"), range.first_hour(), range.last_hour()));
  if (!batches) return base::Unexpected(batches.error());
  account_.is_exact = question_->exact || std::get<0>(*batches) == 0 || std::get<1>(*batches) > 1;
  const auto health = store_->row<std::uint64_t, std::uint64_t, std::uint64_t>(fmt::format(
      "SELECT sum(windows), sum(told), sum(missed) FROM (SELECT uniqExact(t) AS windows, "
      "sum(events) AS told, sum(lost) AS missed FROM {}{} WHERE {} GROUP BY series) AS h",
      name_of(kHealth), account_.is_exact ? " FINAL" : "", condition()));
  if (!health) return base::Unexpected(health.error());
  account_.process_seconds = std::get<0>(*health) * kWindow;
  std::tie(std::ignore, account_.events, account_.lost) = *health;
  if (const std::uint64_t gone = gone_seconds(kHealth); gone != 0)
    account_.notes.push_back(
        fmt::format("process-seconds, events and losses are without {} s whose rows of health_10s "
                    "were dropped: what is for a second of a process is too high there",
                    gone));
  return {};
}

std::uint64_t Scope::gone_seconds(std::string_view table) const {
  const Range& range = question_->range;
  std::uint64_t gone = 0;
  for (std::uint32_t hour = range.first_hour(); hour <= range.last_hour(); ++hour)
    if (book_.is_gone(table, hour))
      gone += std::min<std::uint64_t>(range.to, (std::uint64_t{hour} + 1) * kHour) -
              std::max(range.from, hour * kHour);
  return gone;
}

std::string Scope::condition() const { return within({question_->range}, true) + chosen_; }

// Coarser rows know no hosts.
TierChoice Scope::choose(Tiers tiers, const RowChoice& wanted_rows) {
  const bool by_host = asks_for(question_->where, "host") ||
                       asks_for(question_->where, "instance") ||
                       (wanted_rows.needs_label && is_of_one_process(wanted_rows.label));
  const std::uint32_t length = question_->range.seconds();
  const std::uint32_t by_range = length > kMostBy1m ? kHour
                                 : length > kMostBy10s || account_.series > kMostSeriesBy10s
                                     ? 60
                                     : kWindow;
  const std::uint32_t resolution = question_->resolution != 0 ? question_->resolution : by_range;
  const std::size_t coarsest = by_host ? 0 : tiers.size() - 1;
  std::size_t wanted = coarsest;
  while (wanted > 0 && tiers[wanted].resolution > resolution) --wanted;
  TierChoice choice = choose_tiers(
      tiers, question_->range, wanted, coarsest, [&](std::size_t tier, std::uint32_t hour) {
        return tier == 0 ? !book_.is_gone(tiers[0].table, hour) : book_.is_made(tiers, tier, hour);
      });
  if (choice.left_out != 0)
    note_once(fmt::format(
        "{} s are left out: {}", choice.left_out,
        by_host ? "rows by host are gone; without host and instance, coarser ones may tell"
                : "their rows were dropped, or are only left for whole hours"));
  return choice;
}

// One tier's rows, with the label of each where one is wanted.
std::string Scope::part_of(const Tier& tier, bool is_finest, std::string_view columns,
                           const std::string& rows, const RowChoice& choice) const {
  const std::string table = name_of(tier.table) + (is_finest && account_.is_exact ? " FINAL" : "");
  if (choice.label.empty() && choice.side.empty())
    return fmt::format("SELECT {} FROM {} WHERE {}", columns, table, rows);
  const auto form = [&](const std::string& value) {
    return choice.side.empty() ? value : hash_of_side(value, choice.side);
  };
  const bool has_label = !choice.label.empty() && (is_finest || !is_of_one_process(choice.label));
  const bool is_side_of_series = choice.side.size() > 1;
  if (!has_label && !is_side_of_series)
    return fmt::format("SELECT {}, {} AS label FROM {} WHERE {}", columns, form("''"), table, rows);
  const std::string_view id = is_finest ? "series" : "grp";
  const std::string value = has_label ? fmt::format("any({})", column_of(choice.label)) : "''";
  return fmt::format(
      "SELECT {0}, label FROM (SELECT {0}, {1} FROM {2} WHERE {3}) AS f ANY LEFT JOIN (SELECT {1}, "
      "{4} AS label FROM {5} GROUP BY {1}) AS s USING {1}",
      columns, id, table, rows, form(value), name_of("series"));
}

void Scope::note_once(std::string text) {
  if (std::ranges::find(account_.notes, text) == account_.notes.end())
    account_.notes.push_back(std::move(text));
}

void Scope::note_tier(const Tier& tier) {
  if (std::ranges::find(account_.tiers, tier.table) == account_.tiers.end())
    account_.tiers.emplace_back(tier.table);
  account_.resolution = std::max(account_.resolution, tier.resolution);
}

// `other`: what matches there counts, too.
base::result<std::vector<std::string>> Scope::parts_of(Tiers tiers, const TierChoice& choice,
                                                       std::string_view columns,
                                                       const RowChoice& wanted, Scope* other) {
  std::vector<std::string> parts;
  std::string groups;
  const auto both = [&](const std::string& mine, const std::string& theirs) {
    return other == nullptr ? mine : fmt::format(" AND ((1{}) OR (1{}))", mine, theirs);
  };
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    if (choice.ranges[i].empty()) continue;
    if (i > 0 && groups.empty()) {
      const auto mine = chosen("grp");
      if (!mine) return base::Unexpected(mine.error());
      const auto theirs = other == nullptr ? std::string() : other->chosen("grp");
      if (!theirs) return base::Unexpected(theirs.error());
      groups = both(*mine, *theirs);
    }
    const std::string chosen = i > 0              ? groups
                               : other == nullptr ? chosen_
                                                  : both(chosen_, other->chosen_);
    const std::string rows =
        within(choice.ranges[i], tiers[i].resolution < kHour) + chosen + wanted.where;
    parts.push_back(part_of(tiers[i], i == 0, columns, rows, wanted));
    note_tier(tiers[i]);
    if (other != nullptr) other->note_tier(tiers[i]);
  }
  if (parts.empty()) parts.push_back(part_of(tiers.front(), true, columns, "0", wanted));
  return parts;
}

base::result<std::string> Scope::rows_of(Tiers tiers, std::string_view columns,
                                         const RowChoice& choice) {
  return parts_of(tiers, choose(tiers, choice), columns, choice).map(from);
}

base::result<std::string> Scope::rows_of_both(Scope& one, Scope& two, Tiers tiers,
                                              std::string_view columns, RowChoice choice) {
  const TierChoice first = one.choose(tiers, choice), second = two.choose(tiers, choice);
  const std::string condition = to_sql(one.question_->where);
  const auto shared = one.store_->row<std::uint64_t>(
      fmt::format("SELECT count() {} AND ({})", two.matching_, condition));
  if (!shared) return base::Unexpected(shared.error());
  const bool is_one_reading = std::get<0>(*shared) == 0 && first.ranges == second.ranges &&
                              one.account_.is_exact == two.account_.is_exact;
  choice.side = is_one_reading ? fmt::format("if(max({}) != 0, 1, 2)", condition) : "1";
  auto parts = one.parts_of(tiers, first, columns, choice, is_one_reading ? &two : nullptr);
  if (!parts) return base::Unexpected(parts.error());
  if (is_one_reading) return from(*parts);
  choice.side = "2";
  const auto more = two.parts_of(tiers, second, columns, choice);
  if (!more) return base::Unexpected(more.error());
  parts->insert(parts->end(), more->begin(), more->end());
  return from(*parts);
}

std::string Scope::seconds_of_series(std::uint32_t resolution) {
  return fmt::format("SELECT series, uniqExact(t) * {} AS seconds {} GROUP BY series", kWindow,
                     of(kHealth, resolution));
}

void Scope::tell_gone(std::string_view table) {
  if (const std::uint64_t gone = gone_seconds(table); gone != 0)
    account_.notes.push_back(
        fmt::format("{} s are left out: their rows of {} were dropped", gone, table));
}

std::string Scope::of(std::string_view table, std::uint32_t resolution) {
  const bool is_known = std::ranges::find(account_.tiers, table) != account_.tiers.end();
  if (resolution != 0 && !is_known) {
    account_.tiers.emplace_back(table);
    if (table != kHealth) tell_gone(table);  // of which it is said already
    if (question_->resolution != 0 && question_->resolution != resolution)
      account_.notes.push_back(fmt::format("--resolution {}: {} has rows of {} alone",
                                           resolution_text(question_->resolution), table,
                                           resolution_text(resolution)));
  }
  account_.resolution = std::max(account_.resolution, resolution);
  return fmt::format("FROM {}{} WHERE {}", name_of(table), account_.is_exact ? " FINAL" : "",
                     condition());
}

}  // namespace polytrace::fleet
