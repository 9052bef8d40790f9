// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/table/cells.hpp"
#include "base/codes.hpp"
#include "fleet/operate/old_streams.hpp"
#include "fleet/operate/operations.hpp"
#include "fleet/operate/stage.hpp"
#include "fleet/tiers.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;
using base::result;

// Names, which are kept as long as any row may tell of them.
constexpr std::string_view kNames[]{"stacks", "frames"};
constexpr std::uint32_t kStageAge = kDay;  // no run is as long

// Of the tables that have names; streams have none.
std::uint32_t longest(const std::map<std::string, std::uint32_t>& keep) {
  std::uint32_t most = 0;
  for (const auto& [table, seconds] : keep)
    if (table != warehouse::Stream::kTable) most = std::max(most, seconds);
  return most;
}

struct Partition {
  std::string table;
  std::uint32_t number;
  Range covers;
  std::uint64_t rows, bytes;
};

class Pruner {
 public:
  Pruner(Store& store, const PruneOrder& order) : store_(store), order_(order) {}

  result<Report> run() {
    auto old = old_partitions();
    if (!old) return base::Unexpected(old.error());
    const auto book = TierBook::open(store_, {0, order_.now});
    if (!book) return base::Unexpected(book.error());
    for (const Partition& part : *old) {
      const auto is_safe = has_coarser(part, *book);
      if (!is_safe) return base::Unexpected(is_safe.error());
      const bool goes = *is_safe || order_.is_forced;
      if (goes && part.table == warehouse::Trace::kTable)
        if (auto done = drop_objects(part); !done) return base::Unexpected(done.error());
      if (goes && !order_.is_dry)
        if (auto done = drop(part); !done) return base::Unexpected(done.error());
      tell(part, goes);
    }
    if (auto done = drop_streams(); !done) return base::Unexpected(done.error());
    if (auto done = drop_stages(); !done) return base::Unexpected(done.error());
    report_.figures = {{"partitions_dropped", "partitions dropped", dropped_},
                       {"rows_dropped", "rows dropped", rows_},
                       {"bytes_dropped", "bytes dropped", bytes_},
                       {"partitions_kept", "old partitions kept: not rolled", kept_},
                       {"stages_dropped", "tables of broken-off runs dropped", stages_},
                       {"objects_removed", "objects of raw traces removed", objects_},
                       {"streams_dropped", "positions of streams dropped", streams_}};
    if (order_.is_dry) report_.notes.emplace_back("Nothing was dropped: --dry-run.");
    if (late_ != 0)
      report_.notes.push_back(fmt::format(
          "{} hours had rows that came after theirs were dropped: no tier has them", late_));
    if (kept_ != 0)
      report_.notes.emplace_back(
          "No coarser tier has some rows yet: polytrace fleet roll, or drop them with --force.");
    if (objects_left_ != 0)
      report_.notes.push_back(
          fmt::format("{} objects that rows of `traces` told of stay: with --objects they go, too",
                      objects_left_));
    report_.tables.push_back(std::move(table_));
    return std::move(report_);
  }

 private:
  result<std::vector<Partition>> old_partitions() {
    const auto rows = store_.rows<std::string, std::string, std::uint64_t, std::uint64_t>(
        fmt::format("SELECT table, partition, sum(rows), sum(bytes_on_disk) FROM system.parts "
                    "WHERE database = '{}' AND active GROUP BY table, partition ORDER BY table, "
                    "partition",
                    store_.database()));
    if (!rows) return base::Unexpected(rows.error());
    std::vector<Partition> old;
    for (const auto& [table, partition, count, bytes] : *rows) {
      const auto kept = std::ranges::find(kept_tables(), table, &Kept::table);
      const bool names = std::ranges::find(kNames, table) != std::end(kNames);
      if (!names && (kept == kept_tables().end() || kept->part == Part::none)) continue;
      const auto number = static_cast<std::uint32_t>(std::strtoul(partition.c_str(), nullptr, 10));
      const Range covers = range_of_part(names ? Part::month : kept->part, number);
      const std::uint32_t keep = names ? longest(order_.keep) : order_.keep.at(table);
      if (covers.to != 0 && std::uint64_t{covers.to} + keep <= order_.now)
        old.push_back({table, number, covers, count, bytes});
    }
    return old;
  }

  // Whether coarser tiers have all its hours that have rows, or there are none.
  result<bool> has_coarser(const Partition& part, const TierBook& book) {
    for (const Tiers tiers : {Tiers(kProfileTiers), Tiers(kMethodTiers)}) {
      const auto tier = std::ranges::find(tiers, std::string_view(part.table), &Tier::table);
      const auto own = static_cast<std::size_t>(tier - tiers.begin());
      if (tier == tiers.end() || own + 1 == tiers.size()) continue;
      const auto hours = store_.rows<std::uint32_t>(fmt::format(
          "SELECT DISTINCT hour FROM {} WHERE hour >= {} AND hour <= {}",
          store_.name_of(part.table), part.covers.first_hour(), part.covers.last_hour()));
      if (!hours) return base::Unexpected(hours.error());
      for (const auto& [hour] : *hours) {
        late_ += book.is_gone(part.table, hour) ? 1 : 0;
        for (std::size_t coarser = own + 1; coarser < tiers.size(); ++coarser)
          if (!book.is_made(tiers, coarser, hour) && !book.is_gone(part.table, hour) &&
              !book.is_gone(tiers[coarser].table, hour))
            return false;
      }
    }
    return true;
  }

  // Noted first: whoever asks meanwhile looks elsewhere.
  result<void> drop(const Partition& part) {
    base::Appender row;
    warehouse::append_row(warehouse::Drop{part.table, part.number, order_.now}, row);
    const auto noted = store_.link().insert(warehouse::Drop::kTable,
                                            warehouse::column_names<warehouse::Drop>(), row.view());
    if (!noted) return noted;
    return store_.link().run(
        fmt::format("ALTER TABLE {} DROP PARTITION {}", store_.name_of(part.table), part.number));
  }

  // Their partitions are of no time.
  result<void> drop_streams() {
    const std::string table(warehouse::Stream::kTable);
    const std::uint32_t keep = order_.keep.at(table);
    const auto old =
        drop_old_streams(store_, order_.now > keep ? order_.now - keep : 0, order_.is_dry);
    if (!old) return base::Unexpected(old.error());
    streams_ = old->streams;
    rows_ += old->rows;
    if (streams_ == 0) return {};
    table_.rows.push_back({table, analysis::Cell(), time_text(old->oldest), old->rows,
                           analysis::Cell(), outcome(true)});
    if (!old->is_done)
      report_.notes.emplace_back("The server goes on with deleting positions of streams.");
    return {};
  }

  // Before the rows that tell of them.
  result<void> drop_objects(const Partition& part) {
    const auto places = store_.rows<std::string>(
        fmt::format("SELECT DISTINCT place FROM {} FINAL WHERE toYYYYMMDD(t) = {} AND match(place, "
                    "'^[^:]+/.*ptrace')",
                    store_.name_of(part.table), part.number));
    if (!places) return base::Unexpected(places.error());
    for (const auto& [place] : *places) {
      if (!warehouse::is_object_name(place)) continue;
      ++(order_.objects == nullptr ? objects_left_ : objects_);
      if (order_.objects == nullptr || order_.is_dry) continue;
      if (auto done = order_.objects->remove(place); !done) return done;
    }
    return {};
  }

  void tell(const Partition& part, bool goes) {
    ++(goes ? dropped_ : kept_);
    if (goes) rows_ += part.rows, bytes_ += part.bytes;
    table_.rows.push_back({part.table, std::uint64_t{part.number}, time_text(part.covers.from),
                           part.rows, part.bytes, outcome(goes)});
  }
  std::string outcome(bool goes) const {
    if (!goes) return "kept: not rolled";
    return order_.is_dry ? "would be dropped" : "dropped";
  }

  result<void> drop_stages() {
    const auto names = store_.rows<std::string>(fmt::format(
        "SELECT name FROM system.tables WHERE database = '{}' AND match(name, '{}[0-9a-f]{{16}}$') "
        "AND toUInt32(metadata_modification_time) + {} < {}",
        store_.database(), kStageMark, kStageAge, order_.now));
    if (!names) return base::Unexpected(names.error());
    for (const auto& [name] : *names) {
      if (!order_.is_dry)
        if (auto done = store_.link().run("DROP TABLE " + store_.name_of(name)); !done) return done;
      ++stages_;
    }
    return {};
  }

  Store& store_;
  const PruneOrder& order_;
  Report report_{.operation = "prune", .store = store_.name()};
  analysis::Table table_ = analysis::make_table("partitions", "partitions", "Old partitions",
                                                {{"table", "table", Unit::none},
                                                 {"partition", "partition", Unit::none},
                                                 {"from", "from", Unit::none},
                                                 {"rows", "rows", Unit::count},
                                                 {"bytes", "bytes", Unit::bytes},
                                                 {"outcome", "outcome", Unit::none}});
  std::uint64_t dropped_ = 0, kept_ = 0, rows_ = 0, bytes_ = 0, stages_ = 0, late_ = 0;
  std::uint64_t objects_ = 0, objects_left_ = 0, streams_ = 0;
};

}  // namespace

result<std::map<std::string, std::uint32_t>> parse_keep(const std::vector<std::string>& words) {
  std::map<std::string, std::uint32_t> keep;
  for (const Kept& kept : kept_tables()) keep[std::string(kept.table)] = kept.keep;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const auto found = keep.find(word.substr(0, equals));
    if (equals == std::string::npos || found == keep.end()) {
      std::string tables;
      for (const Kept& kept : kept_tables())
        tables += (tables.empty() ? "" : ", ") + std::string(kept.table);
      return base::fail(base::Code::usage,
                        fmt::format("--keep \"{}\": write TABLE=TIME, such as profile_10s=48h, of "
                                    "{}",
                                    word, tables));
    }
    const auto span = parse_span(word.substr(equals + 1));
    if (!span) return base::Unexpected(span.error());
    found->second = *span;
  }
  return keep;
}

result<Report> prune(Store& store, const PruneOrder& order) {
  if (auto good = require_tiers(store); !good) return base::Unexpected(good.error());
  return Pruner(store, order).run();
}

}  // namespace polytrace::fleet
