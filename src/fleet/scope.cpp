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

}  // namespace

base::result<Scope> Scope::open(Store& store, const Question& question) {
  Scope scope(store, question);
  scope.account_.store = store.name();
  scope.account_.range = question.range;
  scope.account_.where = to_text(question.where);
  if (auto done = scope.match(); !done) return base::Unexpected(done.error());
  if (auto done = scope.weigh(); !done) return base::Unexpected(done.error());
  return scope;
}

// Series are those that had begun: who ended, the rows tell.
base::result<void> Scope::match() {
  const std::string matching = fmt::format("FROM {} WHERE first < {} AND ({})", name_of("series"),
                                           question_->range.to, to_sql(question_->where));
  const auto sums = store_->row<std::uint64_t, std::uint64_t>(fmt::format(
      "SELECT uniqExact(series), uniqExactIf(series, host = '(many)' OR instance = '(many)') {}",
      matching));
  if (!sums) return base::Unexpected(sums.error());
  std::tie(account_.series, account_.thinned) = *sums;
  if (question_->where.kind == Where::Kind::everything) return {};
  const auto services = store_->rows<std::uint64_t>("SELECT DISTINCT service " + matching);
  if (!services) return base::Unexpected(services.error());
  const auto listed = [](const std::vector<std::tuple<std::uint64_t>>& rows) {
    std::vector<std::uint64_t> ids{0};  // no id: an empty list is no SQL
    for (const auto& [id] : rows) ids.push_back(id);
    std::ranges::sort(ids);
    return fmt::format("{}", fmt::join(ids, ", "));
  };
  std::string series = "SELECT series " + matching;
  if (account_.series <= kMostLiterals) {
    const auto ids = store_->rows<std::uint64_t>("SELECT DISTINCT series " + matching);
    if (!ids) return base::Unexpected(ids.error());
    series = listed(*ids);
  }
  if (services->size() <= kMostLiterals)
    chosen_ = fmt::format(" AND service IN ({})", listed(*services));
  chosen_ += fmt::format(" AND series IN ({})", series);
  return {};
}

base::result<void> Scope::weigh() {
  const Range& range = question_->range;
  // Without control totals nobody knows what was sent twice.
  const auto batches = store_->row<std::uint64_t, std::uint8_t>(
      fmt::format("SELECT count(), max(attempts) FROM {} WHERE hour >= {} AND hour <= {}",
                  name_of("batches"), range.first_hour(), range.last_hour()));
  if (!batches) return base::Unexpected(batches.error());
  account_.is_exact = question_->exact || std::get<0>(*batches) == 0 || std::get<1>(*batches) > 1;
  const auto health = store_->row<std::uint64_t, std::uint64_t, std::uint64_t>(
      fmt::format("SELECT uniqExact(series, t), sum(events), sum(lost) FROM {} FINAL WHERE {}",
                  name_of("health_10s"), condition()));
  if (!health) return base::Unexpected(health.error());
  account_.process_seconds = std::get<0>(*health) * kWindow;
  std::tie(std::ignore, account_.events, account_.lost) = *health;
  return {};
}

std::string Scope::condition() const {
  const Range& range = question_->range;
  return fmt::format("hour >= {} AND hour <= {} AND t >= {} AND t < {}{}", range.first_hour(),
                     range.last_hour(), range.from, range.to, chosen_);
}

std::string Scope::of(std::string_view table, std::uint32_t resolution) {
  const bool is_known = std::ranges::find(account_.tiers, table) != account_.tiers.end();
  if (resolution != 0 && !is_known) account_.tiers.emplace_back(table);
  account_.resolution = std::max(account_.resolution, resolution);
  return fmt::format("FROM {}{} WHERE {}", name_of(table), account_.is_exact ? " FINAL" : "",
                     condition());
}

}  // namespace polytrace::fleet
