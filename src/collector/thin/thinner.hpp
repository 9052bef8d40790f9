// SPDX-License-Identifier: Apache-2.0
// Fewer rows while there is little room for them: first without methods, whose calls and time are
// in the profile, too; then profiles of single processes as one of their group, whose sums stay.
// Either is told by a series of the group: its host is "(many)", its instance who thinned. What
// stands for several processes is that series', of each time that rows are thinned in a generation
// of its own: it replaces nothing. One thread at a time.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/aggregate/rows.hpp"
#include "collector/thin/thin_marks.hpp"

namespace polytrace::collector {

class Thinner {
 public:
  // `who`: the collector and this run of it: rows of another run are another series'.
  explicit Thinner(std::string who) : who_(std::move(who)) {}

  enum class Level : std::uint8_t { nothing, methods, processes };

  // Of one database, all rows that go into the outbox at once, each time: series are learned from
  // them. Rows that become fewer are counted: the sum.
  std::uint64_t thin(const std::string& database, Rows& rows, Level level);
  // Windows that became part of others' rows, since the last time: for ThinMarks.
  std::vector<ThinMark> take_marks() { return std::exchange(marks_, {}); }

 private:
  // Of a group, while this runs.
  struct Group {
    warehouse::Series series{};
    std::map<std::uint32_t, std::uint8_t> gens{};  // by window: what its next rows have
  };
  using Groups = std::map<std::pair<std::string, std::uint64_t>, Group>;

  void learn(const std::string& database, const Rows& rows);
  Group* group_of(std::uint64_t series);
  std::uint64_t drop_methods(Rows& rows);
  std::uint64_t join_processes(Rows& rows);
  void tell(Rows& rows);
  static void note_time(Group& group, std::uint32_t t);

  const std::string who_;
  Groups groups_;  // by database and number of the group
  std::unordered_map<std::uint64_t, Group*> by_series_;
  std::unordered_map<std::uint64_t, std::uint64_t> untold_;  // lost rows, by series
  std::vector<Group*> touched_;                              // by the rows at hand
  std::vector<ThinMark> marks_;
};

}  // namespace polytrace::collector
