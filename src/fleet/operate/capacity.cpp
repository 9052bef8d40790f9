// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/table/cells.hpp"
#include "fleet/operate/operations.hpp"
#include "fleet/tiers.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;

// What one process sends at a level of recording: rows a second for a table, bytes a second of raw
// stream that stay on its machine (the middle of what was met).
struct LevelRates {
  std::string_view level;
  double profile, methods, health, raw;
};
constexpr LevelRates kLevels[]{{"health", 0.52, 0, 0.1, 275},
                               {"summary", 8.2, 1.1, 0.1, 3'000},
                               {"events", 8.2, 1.1, 0.1, 300'000},
                               {"full", 8.2, 1.1, 0.1, 26'000'000}};

// Each figure that the reckoning takes from elsewhere, once.
enum class Constant : std::uint8_t {
  window_stacks,
  insert_us,
  roll_us,
  hub_us,
  replicas,
  headroom,
  room,
  wire_profile,
  wire_other,
  profile_10s,
  profile_1m,
  methods_1m,
  health_10s,
  stack,
  process_stacks,
  group_processes,
  minute_stacks,
  hour_stacks,
  hour_methods,
  count
};
struct Measured {
  Constant constant;
  std::string_view what;
  double value;
  std::string_view source;
};
constexpr std::string_view kMeasured = "measured";
constexpr std::string_view kAssumed = "assumed";
constexpr Measured kConstants[]{
    {Constant::window_stacks, "stacks of a process in 10 s", 82, kMeasured},
    {Constant::insert_us, "us of a core to insert a row, with merges", 1.56, kMeasured},
    {Constant::roll_us, "us of a core to roll a row up", 0.63, kMeasured},
    {Constant::hub_us, "us of a core of a collector's hub for a row", 4.3, kAssumed},
    {Constant::replicas, "replicas", 2, kAssumed},
    {Constant::headroom, "times the cores, for peaks and repairs", 3, kAssumed},
    {Constant::room, "times the disk, for merges", 1.4, kAssumed},
    {Constant::wire_profile, "bytes of a profile row on the wire", 15.3, kMeasured},
    {Constant::wire_other, "bytes of another row on the wire", 25, kAssumed},
    {Constant::profile_10s, "bytes of a row of profile_10s", 6.46, kMeasured},
    {Constant::profile_1m, "bytes of a row of profile_1m, profile_1h", 5.5, kMeasured},
    {Constant::methods_1m, "bytes of a row of methods_1m, methods_1h", 28.1, kMeasured},
    {Constant::health_10s, "bytes of a row of health_10s", 66, kMeasured},
    {Constant::stack, "bytes of a stack", 173, kMeasured},
    {Constant::process_stacks, "new stacks of a process", 100, kAssumed},
    {Constant::group_processes, "processes of a group", 62.5, kAssumed},
    {Constant::minute_stacks, "stacks of a group in a minute", 300, kAssumed},
    {Constant::hour_stacks, "stacks of a group in an hour", 2000, kAssumed},
    {Constant::hour_methods, "methods of a group in an hour", 100, kAssumed}};

constexpr double of(Constant constant) {
  return kConstants[static_cast<std::size_t>(constant)].value;
}
static_assert(std::size(kConstants) == static_cast<std::size_t>(Constant::count));
static_assert([] {
  for (std::size_t i = 0; i < std::size(kConstants); ++i)
    if (static_cast<std::size_t>(kConstants[i].constant) != i) return false;
  return true;
}());

struct TableNeed {
  std::string_view table;
  double rows;   // a second
  double bytes;  // of a row
};

// Rounded up, but for what the last digits of a product are.
std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::ceil(value - 1e-6)); }

class Reckoning {
 public:
  explicit Reckoning(const CapacityOrder& order) : order_(order) {
    const auto found = std::ranges::find(kLevels, order.level, &LevelRates::level);
    level_ = found == std::end(kLevels) ? kLevels[1] : *found;
    const auto processes = static_cast<double>(order.processes);
    // Stacks of one's own stand for those that were measured, everywhere.
    const double more =
        order.stacks == 0 ? 1 : static_cast<double>(order.stacks) / of(Constant::window_stacks);
    const double groups = order.groups == 0
                              ? std::max(1.0, processes / of(Constant::group_processes))
                              : static_cast<double>(order.groups);
    const double share = level_.profile / kLevels[1].profile;  // of the stacks of a summary
    profile_ = processes * level_.profile * more;
    methods_ = processes * level_.methods;
    health_ = processes * level_.health;
    needs_ = {{"profile_10s", profile_, of(Constant::profile_10s)},
              {"profile_1m", groups * of(Constant::minute_stacks) * more * share / 60,
               of(Constant::profile_1m)},
              {"profile_1h", groups * of(Constant::hour_stacks) * more * share / kHour,
               of(Constant::profile_1m)},
              {"methods_1m", methods_, of(Constant::methods_1m)},
              {"methods_1h", level_.methods > 0 ? groups * of(Constant::hour_methods) / kHour : 0,
               of(Constant::methods_1m)},
              {"health_10s", health_, of(Constant::health_10s)}};
    names_ = processes * of(Constant::process_stacks) * more * share * of(Constant::stack);
  }

  Report report() {
    Report report{.operation = "plan", .store = {}};
    report.tables.push_back(tables());
    report.tables.push_back(machines());
    report.tables.push_back(constants());
    const double rows = profile_ + methods_ + health_;
    report.figures = {
        {"processes", "processes", order_.processes},
        {"rows_per_second", "rows a second", whole(rows)},
        {"wire_bytes_per_second", "bytes a second to the store",
         whole(profile_ * of(Constant::wire_profile) +
               (methods_ + health_) * of(Constant::wire_other))},
        {"raw_bytes_per_second", "bytes a second of raw streams, which stay on their machines",
         whole(level_.raw * static_cast<double>(order_.processes))},
        {"bytes", "bytes on the disk of a replica", whole(disk_)},
        {"bytes_to_buy", "bytes of disks, with replicas and room for merges",
         whole(disk_ * of(Constant::replicas) * of(Constant::room))},
        {"cores", "cores, with replicas and headroom", cores_}};
    report.notes.emplace_back(
        "Measured: 1,000 processes with random values, ClickHouse 18.16. Yours differ.");
    return report;
  }

 private:
  analysis::Table tables() {
    analysis::Table table = analysis::make_table("tables", "tables", "Tables, of a replica",
                                                 {{"table", "table", Unit::none},
                                                  {"rows_per_second", "rows/s", Unit::count},
                                                  {"row_bytes", "bytes/row", Unit::count},
                                                  {"keep_days", "days", Unit::count},
                                                  {"bytes", "bytes", Unit::bytes}});
    for (const TableNeed& need : needs_) {
      const double days = order_.keep.at(std::string(need.table)) / static_cast<double>(kDay);
      const double bytes = need.rows * need.bytes * days * kDay;
      disk_ += bytes;
      table.rows.push_back({std::string(need.table), need.rows, need.bytes, days, whole(bytes)});
    }
    disk_ += names_;
    table.rows.push_back({std::string("stacks"), analysis::Cell(), of(Constant::stack),
                          analysis::Cell(), whole(names_)});
    return table;
  }
  analysis::Table machines() {
    analysis::Table table = analysis::make_table(
        "cores", "cores", "Cores", {{"work", "work", Unit::none}, {"cores", "cores", Unit::count}});
    const double rows = profile_ + methods_ + health_;
    const auto add = [&](const char* work, double cores) {
      cores_ += whole(cores);
      table.rows.push_back({std::string(work), whole(cores)});
    };
    const double insert =
        rows * of(Constant::insert_us) / 1e6 * of(Constant::replicas) * of(Constant::headroom);
    const double roll = profile_ * of(Constant::roll_us) / 1e6;
    add("hubs", rows * of(Constant::hub_us) / 1e6);
    add("inserting", insert);
    add("rolling up", roll);
    add("questions", insert + roll);  // as much again
    return table;
  }
  static analysis::Table constants() {
    analysis::Table table = analysis::make_table("figures", "figures", "Figures it comes from",
                                                 {{"figure", "figure", Unit::none},
                                                  {"value", "value", Unit::count},
                                                  {"source", "source", Unit::none}});
    for (const Measured& one : kConstants)
      table.rows.push_back({std::string(one.what), one.value, std::string(one.source)});
    return table;
  }

  const CapacityOrder& order_;
  LevelRates level_;
  std::vector<TableNeed> needs_;
  double profile_, methods_, health_, names_;
  double disk_ = 0;
  std::uint64_t cores_ = 0;
};

}  // namespace

std::vector<std::string> capacity_levels() {
  std::vector<std::string> levels;
  for (const LevelRates& one : kLevels) levels.emplace_back(one.level);
  return levels;
}

Report capacity(const CapacityOrder& order) { return Reckoning(order).report(); }

}  // namespace polytrace::fleet
