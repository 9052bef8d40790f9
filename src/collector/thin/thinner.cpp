// SPDX-License-Identifier: Apache-2.0
#include "collector/thin/thinner.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "warehouse/ids.hpp"

namespace polytrace::collector {
namespace {

using warehouse::Health10s;
using warehouse::Methods1m;
using warehouse::Profile10s;

constexpr std::string_view kSeveral = "(many)";
constexpr std::size_t kMostSeriesKnown = 200'000;  // that are known; others are not thinned
constexpr std::size_t kMostWindows = 1000;         // of a group, whose generations are known
constexpr std::uint8_t kLastGen = std::numeric_limits<std::uint8_t>::max();

// The series of its group, as its labels tell; those that are not shown are in the group's number.
warehouse::Series of_group(const warehouse::Series& row, const std::string& who) {
  warehouse::Labels labels{row.service_name, row.version, std::string(kSeveral), who, row.runtime,
                           row.agent,        {}};
  for (std::size_t i = 0; i < std::min(row.label_names.size(), row.label_values.size()); ++i)
    labels.free.emplace_back(row.label_names[i], row.label_values[i]);
  warehouse::Series group = row;
  group.host = kSeveral;
  group.instance = who;
  group.series = warehouse::series_id(labels, row.grp);
  group.skew_ms = 0;
  group.first = group.last = 0;
  return group;
}

auto place_of(const Profile10s& row) {
  return std::tie(row.t, row.carrier, row.stack, row.subject, row.service, row.hour);
}

}  // namespace

void Thinner::learn(const std::string& database, const Rows& rows) {
  for (const warehouse::Series& row : rows.of<warehouse::Series>()) {
    if (by_series_.size() >= kMostSeriesKnown && !by_series_.contains(row.series)) continue;
    Group& group = groups_[{database, row.grp}];
    if (group.series.series == 0) group.series = of_group(row, who_);
    by_series_[row.series] = &group;
  }
}

Thinner::Group* Thinner::group_of(std::uint64_t series) {
  const auto found = by_series_.find(series);
  return found == by_series_.end() ? nullptr : found->second;
}

// A question about a time finds the series of that time.
void Thinner::note_time(Group& group, std::uint32_t t) {
  group.series.first = group.series.first == 0 ? t : std::min(group.series.first, t);
  group.series.last = std::max(group.series.last, t);
}

std::uint64_t Thinner::thin(const std::string& database, Rows& rows, Level level) {
  learn(database, rows);
  std::uint64_t fewer = 0;
  if (level != Level::nothing) fewer += drop_methods(rows);
  if (level == Level::processes) fewer += join_processes(rows);
  tell(rows);
  return fewer;
}

std::uint64_t Thinner::drop_methods(Rows& rows) {
  auto& methods = rows.of<Methods1m>();
  for (const Methods1m& row : methods) {
    ++untold_[row.series];
    if (Group* const group = group_of(row.series)) {
      touched_.push_back(group);
      note_time(*group, row.t);
    }
  }
  const std::uint64_t dropped = methods.size();
  methods.clear();
  return dropped;
}

// Of one process alone nothing is won, and of one that is not known nothing can be.
std::uint64_t Thinner::join_processes(Rows& rows) {
  std::vector<Profile10s> left;
  std::map<std::pair<Group*, std::uint32_t>, std::vector<Profile10s>> together;
  auto& profile = rows.of<Profile10s>();
  const std::size_t before = profile.size();
  for (const Profile10s& row : profile) {
    Group* const group = group_of(row.series);
    const bool has_gen = group != nullptr && group->gens[row.t] != kLastGen;
    if (has_gen) together[{group, row.t}].push_back(row);
    else left.push_back(row);
  }
  for (auto& [key, some] : together) {
    auto& [group, t] = key;
    std::set<ThinMark> marks;
    for (const Profile10s& row : some) marks.insert({row.series, row.t, row.gen});
    const auto is_one = [&](const ThinMark& mark) { return mark.series == marks.begin()->series; };
    if (std::ranges::all_of(marks, is_one)) {
      left.insert(left.end(), some.begin(), some.end());
      continue;
    }
    marks_.insert(marks_.end(), marks.begin(), marks.end());
    touched_.push_back(group);
    note_time(*group, t);
    const std::uint8_t gen = group->gens[t]++;
    while (group->gens.size() > kMostWindows) group->gens.erase(group->gens.begin());
    std::ranges::sort(some, [](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
    const std::size_t begin = left.size();
    for (const Profile10s& row : some) {
      if (left.size() == begin || place_of(left.back()) != place_of(row)) {
        left.push_back(row);
        left.back().series = group->series.series;
        left.back().gen = gen;
        continue;
      }
      left.back().count += row.count;
      left.back().weight += row.weight;
    }
  }
  profile = std::move(left);
  return before - profile.size();
}

// With the next rows of health of the process: that its methods are gone; and of which groups.
void Thinner::tell(Rows& rows) {
  for (Health10s& row : rows.of<Health10s>()) {
    const auto found = untold_.find(row.series);
    if (found == untold_.end()) continue;
    row.lost += found->second;
    untold_.erase(found);
  }
  if (untold_.size() > kMostSeriesKnown) untold_.clear();
  std::ranges::sort(touched_, {}, [](const Group* group) { return group->series.series; });
  const auto same = std::ranges::unique(touched_);
  touched_.erase(same.begin(), same.end());
  for (const Group* const group : touched_) rows.of<warehouse::Series>().push_back(group->series);
  touched_.clear();
}

}  // namespace polytrace::collector
