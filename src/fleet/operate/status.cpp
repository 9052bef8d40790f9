// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/table/cells.hpp"
#include "fleet/operate/operations.hpp"
#include "fleet/tiers.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;
using base::result;

constexpr std::uint32_t kLately = 300;    // seconds: who is there
constexpr std::uint32_t kLooked = kHour;  // how far back figures are added up
constexpr std::uint32_t kWindowLength = 10;
constexpr std::int64_t kSecondNs = 1'000'000'000;

analysis::Cell seconds_ago(std::uint32_t now, std::uint32_t then) {
  return (std::int64_t{now} - then) * kSecondNs;
}

class StatusReport {
 public:
  StatusReport(Store& store, std::uint32_t now) : store_(store), now_(now) {}

  result<Report> run() {
    Report report{.operation = "status", .store = store_.name()};
    using Part = result<analysis::Table> (StatusReport::*)();
    for (const Part part : {&StatusReport::services, &StatusReport::edges, &StatusReport::disk}) {
      auto table = (this->*part)();
      if (!table) return base::Unexpected(table.error());
      report.tables.push_back(std::move(*table));
    }
    if (auto done = rolls(report); !done) return base::Unexpected(done.error());
    report.figures = {{"series_now", "series in the last 5 minutes", series_},
                      {"edges_now", "edges in the last 5 minutes", edges_.size(), edges_},
                      {"events", "events in the last hour", events_},
                      {"events_lost", "events lost in the last hour", lost_},
                      {"rows", "rows on disk", rows_},
                      {"bytes", "bytes on disk", bytes_},
                      {"hours_not_rolled", "hours due to be rolled", not_rolled_}};
    return report;
  }

 private:
  std::uint32_t since(std::uint32_t seconds) const { return now_ > seconds ? now_ - seconds : 0; }

  result<analysis::Table> services() {
    const auto rows = store_.rows<std::string, std::uint64_t, std::uint64_t, std::uint64_t,
                                  std::uint64_t, std::uint32_t>(fmt::format(
        "SELECT any(service_name), uniqExactIf(series, t >= {}), uniqExact(series), sum(events), "
        "sum(lost), toUInt32(max(t)) FROM (SELECT service, series, t, events, lost FROM {} FINAL "
        "WHERE hour >= {} AND t >= {} AND t < {}) AS h ANY LEFT JOIN (SELECT series, service_name "
        "FROM {}) AS s USING series GROUP BY service",
        since(kLately), store_.name_of("health_10s"), since(kLooked) / kHour, since(kLooked),
        now_ + 1, store_.name_of("series")));
    if (!rows) return base::Unexpected(rows.error());
    analysis::Table table =
        analysis::make_table("services", "services", "Services, of the last hour",
                             {{"service", "service", Unit::none},
                              {"series_now", "series now", Unit::count},
                              {"series", "series", Unit::count},
                              {"events", "events", Unit::count},
                              {"lost", "lost", Unit::count},
                              {"lag", "lag", Unit::nanoseconds}});
    for (const auto& [service, present, series, events, lost, last] : *rows) {
      series_ += present;
      events_ += events;
      lost_ += lost;
      table.rows.push_back({service, present, series, events, lost,
                            seconds_ago(now_, std::min(now_, last + kWindowLength))});
    }
    return table;
  }

  result<analysis::Table> edges() {
    const auto rows =
        store_.rows<std::string, std::uint32_t, std::uint64_t, std::uint64_t, std::uint8_t>(
            fmt::format(
                "SELECT edge, toUInt32(max(written)), uniqExact(number), sum(rows), "
                "max(attempts) FROM {} FINAL WHERE written >= {} GROUP BY edge ORDER BY edge",
                store_.name_of("batches"), since(kLooked)));
    if (!rows) return base::Unexpected(rows.error());
    analysis::Table table = analysis::make_table("edges", "edges", "Who sent in the last hour",
                                                 {{"edge", "edge", Unit::none},
                                                  {"ago", "ago", Unit::nanoseconds},
                                                  {"batches", "batches", Unit::count},
                                                  {"rows", "rows", Unit::count},
                                                  {"attempts", "most tries", Unit::count}});
    for (const auto& [edge, written, batches, count, attempts] : *rows) {
      if (written >= since(kLately)) edges_.insert(edge);
      table.rows.push_back({edge, seconds_ago(now_, std::min(now_, written)), batches, count,
                            std::uint64_t{attempts}});
    }
    return table;
  }

  result<analysis::Table> disk() {
    const auto rows =
        store_.rows<std::string, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>(
            fmt::format(
                "SELECT table, uniqExact(partition), count(), sum(rows), sum(bytes_on_disk) "
                "FROM system.parts WHERE database = '{}' AND active GROUP BY table ORDER BY "
                "table",
                store_.database()));
    if (!rows) return base::Unexpected(rows.error());
    analysis::Table table = analysis::make_table("disk", "disk", "On disk",
                                                 {{"table", "table", Unit::none},
                                                  {"partitions", "partitions", Unit::count},
                                                  {"parts", "parts", Unit::count},
                                                  {"rows", "rows", Unit::count},
                                                  {"bytes", "bytes", Unit::bytes}});
    for (const auto& [name, partitions, parts, count, bytes] : *rows) {
      rows_ += count;
      bytes_ += bytes;
      table.rows.push_back({name, partitions, parts, count, bytes});
    }
    return table;
  }

  result<void> rolls(Report& report) {
    if (!store_.has_tiers()) {
      report.notes.emplace_back(
          "This store rolls nothing up: polytrace fleet schema --apply gives it what it needs.");
      return {};
    }
    const auto book = TierBook::open(store_, {0, now_});
    if (!book) return base::Unexpected(book.error());
    std::uint32_t oldest = UINT32_MAX;
    for (const std::uint32_t hour : book->told_hours(kProfileTiers.front().table)) {
      const bool is_due = (std::uint64_t{hour} + 1) * kHour + kRollDelay <= now_;
      if (!is_due || book->is_gone(kProfileTiers.front().table, hour) ||
          book->is_made(kProfileTiers, 1, hour))
        continue;
      ++not_rolled_;
      oldest = std::min(oldest, hour);
    }
    if (not_rolled_ != 0)
      report.notes.push_back(
          fmt::format("The oldest hour that is not rolled is {}.", time_text(oldest * kHour)));
    return {};
  }

  Store& store_;
  std::uint32_t now_;
  std::uint64_t series_ = 0, events_ = 0, lost_ = 0, rows_ = 0, bytes_ = 0;
  std::set<std::string> edges_;  // that may send to all shards
  std::uint64_t not_rolled_ = 0;
};

}  // namespace

result<Report> status(Store& store, std::uint32_t now) { return StatusReport(store, now).run(); }

}  // namespace polytrace::fleet
