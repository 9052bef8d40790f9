// SPDX-License-Identifier: Apache-2.0
// Tiers: tables that hold the same at different resolutions, how long each keeps its rows, and
// which of their hours can be asked. Finer tables have a row for a process (`series`), coarser ones
// for a group of processes that differ in host and instance alone (`grp`).
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/range.hpp"
#include "fleet/store.hpp"

namespace polytrace::fleet {

inline constexpr std::uint32_t kHour = 3600, kDay = 24 * kHour;  // seconds

struct Tier {
  std::string_view table;
  std::uint32_t resolution;  // seconds
};
// Finest first: what control totals are told of, and what has hosts.
inline constexpr std::array<Tier, 3> kProfileTiers{
    {{"profile_10s", 10}, {"profile_1m", 60}, {"profile_1h", kHour}}};
inline constexpr std::array<Tier, 2> kMethodTiers{{{"methods_1m", 60}, {"methods_1h", kHour}}};
using Tiers = std::span<const Tier>;

// What a partition of a table is of; none: of no time, its rows go one by one.
enum class Part : std::uint8_t { hour, day, month, none };
struct Kept {
  std::string_view table;
  Part part;
  std::uint32_t keep;  // seconds that rows are kept unless told otherwise
};
// Each table whose rows have a time. Names (stacks, frames) are kept as long as the longest.
std::span<const Kept> kept_tables();

// The number of a partition, as the server has it: hours since 1970, 20261121, 202611.
std::uint32_t part_of_hour(Part part, std::uint32_t hour);
// The time that a partition covers; from == to where it is no such number.
Range range_of_part(Part part, std::uint32_t number);

// Errors: schema_missing, where the store has no notes of tiers; usage, where the server's days are
// not those of UTC: partitions would be of other hours than their numbers tell.
base::result<void> require_tiers(Store& store);

// What was told of an hour when it was rolled.
struct RollNote {
  std::uint64_t print = 0;  // of the control totals that stood for its rows
  std::uint64_t rows = 0, count = 0, weight = 0;
};

// What is there of a stretch of hours.
class TierBook {
 public:
  // Of the hours of the range. A store without notes of tiers has rolled and dropped nothing.
  static base::result<TierBook> open(Store& store, const Range& range);

  // Whether its rows of that hour were dropped.
  bool is_gone(std::string_view table, std::uint32_t hour) const;
  // Whether a coarser tier has that hour as the finest has it, or as it had it at last.
  bool is_made(Tiers tiers, std::size_t tier, std::uint32_t hour) const;
  const RollNote* note(std::string_view table, std::uint32_t hour) const;
  // Of the control totals of a finest table; 0 where there are none. Later rows change it.
  std::uint64_t print(std::string_view table, std::uint32_t hour) const;
  // The hours that control totals tell of.
  std::vector<std::uint32_t> told_hours(std::string_view table) const;

 private:
  using Key = std::pair<std::string, std::uint32_t>;  // table and hour, or number of a partition
  std::map<Key, RollNote> notes_;
  std::map<Key, std::uint64_t> prints_;
  std::set<Key> drops_;
};

// Which ranges are asked of which tier.
struct TierChoice {
  std::vector<std::vector<Range>> ranges;  // by tier
  std::uint64_t left_out = 0;              // seconds that no tier has any more
};
// Prefers the tier `wanted`, then finer ones, then coarser ones up to `coarsest`. Within a tier
// only whole units of its resolution, but for the finest. `is_there(tier, hour)` says what can be
// asked. Pure.
TierChoice choose_tiers(Tiers tiers, const Range& range, std::size_t wanted, std::size_t coarsest,
                        const std::function<bool(std::size_t tier, std::uint32_t hour)>& is_there);

}  // namespace polytrace::fleet
