// SPDX-License-Identifier: Apache-2.0
// What is done to a store rather than asked of it, one file each in this folder: rolling hours up
// into coarser tables, dropping old partitions, comparing it with control totals, looking how it
// does, and reckoning what one would need. One thread at a time for one store.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/table/table.hpp"
#include "fleet/range.hpp"
#include "fleet/store.hpp"
#include "warehouse/objects/objects.hpp"

namespace polytrace::fleet {

struct Report {
  struct Figure {
    std::string key;    // the JSON member
    std::string title;  // what is counted: "hours rolled"
    std::uint64_t value = 0;
    std::set<std::string> names{};  // what is counted, where other shards may have the same
  };
  std::string operation;  // "roll"
  std::string store;      // its name; empty: none was asked
  std::vector<Figure> figures{};
  std::vector<analysis::Table> tables{};
  std::vector<std::string> notes{};
  bool is_right = true;               // what is there is what should be
  std::optional<Shards> shards{};     // where several were named, and how many of them were reached
  std::vector<base::Error> faults{};  // of those that could not be asked, or refused
};
// {"schema": "polytrace.fleet-operation/1", ...}
std::string report_json(const Report& report);
// For people: a line, and one for each note.
std::vector<std::string> report_lines(const Report& report);

// Seconds after its end that rows of an hour are waited for.
inline constexpr std::uint32_t kRollDelay = 900;

struct RollOrder {
  std::optional<Range> range{};  // its hours and days; none: those that are due
  std::uint32_t now = 0;
  std::function<void(const std::string&)> tell{};  // of each hour and day, before
};
// Makes partitions of coarser tiers anew from all rows of the finest, each swapped in at once, as
// often as one likes and from anywhere at the same time. An hour is due from kRollDelay after its
// end, and again when control totals tell of later rows. Tables by the hour are made when their day
// is over. Errors: schema_missing; usage, where the server's days are not those of UTC.
base::result<Report> roll(Store& store, const RollOrder& order);

struct PruneOrder {
  std::map<std::string, std::uint32_t> keep{};  // seconds, of each of kept_tables()
  bool is_dry = false;                          // only tells
  bool is_forced = false;                       // also rows that no coarser tier has
  std::uint32_t now = 0;
  warehouse::Objects* objects = nullptr;  // that go with rows of `traces`; null: they stay
};
// "profile_10s=48h" over what is kept unless told otherwise. Errors: usage.
base::result<std::map<std::string, std::uint32_t>> parse_keep(
    const std::vector<std::string>& words);
// Drops partitions whose rows are all older, before those of `traces` the objects that they tell
// of, and rows of streams that nothing was told of for so long. Errors: as of roll; those of
// Objects::remove.
base::result<Report> prune(Store& store, const PruneOrder& order);

// The hours of the range: rows that are there against those that control totals tell of, and
// coarser tiers against the finest. The report is not right where they differ. Errors: those of the
// link.
base::result<Report> verify(Store& store, const Range& range);

// Who sent lately, how late, what was lost, what is on the server's disk, what is not rolled.
base::result<Report> status(Store& store, std::uint32_t now);

struct CapacityOrder {
  std::uint64_t processes = 1000;
  std::string level = "summary";  // one of capacity_levels()
  std::uint64_t stacks = 0;       // of one process in 10 s; 0: as measured
  std::uint64_t groups = 0;       // processes that differ in host and instance alone; 0: as drawn
  std::map<std::string, std::uint32_t> keep{};
};
std::vector<std::string> capacity_levels();
// Rows, bytes and cores for so many processes, and the figures that they come from. Pure.
Report capacity(const CapacityOrder& order);

}  // namespace polytrace::fleet
