// SPDX-License-Identifier: Apache-2.0
// What a question is about, in one store: which series match, and from which rows of which tables
// it is answered. One thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/question.hpp"
#include "fleet/store.hpp"
#include "fleet/tiers.hpp"

namespace polytrace::fleet {

// What else is asked of rows of tiers.
struct RowChoice {
  std::string where{};  // " AND carrier = 0": on columns that all tiers have
  // A label whose value each row has as the column `label`; the columns are then plain names. Rows
  // of tiers that know no hosts have the empty text for host and instance.
  std::string label{};
  bool needs_label = false;  // such tiers are not asked, then
  // 1 or 2, in SQL: the column `label` is a number then, of the side and the value's hash (of no
  // label the same one), where only its identity matters. It is faster.
  std::string side{};
};
// A number as the column `label` has it, and the side of such a number.
std::string hash_of_side(std::string_view value, std::string_view side);
std::string side_of(std::string_view label);

class Scope {
 public:
  // Asks who matches, what was lost, and whether anything was sent twice.
  static base::result<Scope> open(Store& store, const Question& question);

  Store& store() const { return *store_; }
  const Question& question() const { return *question_; }
  // What is known of the answer so far. Questions add what they met.
  Account& account() { return account_; }

  // "FROM db.health_10s FINAL WHERE ...": rows of the series that match, within the range. The
  // account notes the table, but for a resolution of 0, what was dropped of it, and that it has no
  // other resolution where one was asked for. It has the columns service, hour, series and t.
  std::string of(std::string_view table, std::uint32_t resolution);
  // "FROM (SELECT columns FROM db.profile_1m WHERE ... UNION ALL ...) AS p": rows of the processes
  // that match, within the range, each from the tier that the range or the question wants; where it
  // lacks something, from others. The account notes the tables, and what none has any more.
  base::result<std::string> rows_of(Tiers tiers, std::string_view columns,
                                    const RowChoice& choice = {});
  // The same of two questions that are compared, both sides as RowChoice has them: in one reading
  // where they are of the same time and have no series in common.
  static base::result<std::string> rows_of_both(Scope& one, Scope& two, Tiers tiers,
                                                std::string_view columns, RowChoice choice);
  // "SELECT series, ... AS seconds": how long each was recorded within the range.
  std::string seconds_of_series(std::uint32_t resolution);
  // The account notes how much of the range was dropped of a table, if any.
  void tell_gone(std::string_view table);
  // "db.series": for joins by series.
  std::string name_of(std::string_view table) const { return store_->name_of(table); }

 private:
  Scope(Store& store, const Question& question, TierBook book)
      : store_(&store), question_(&question), book_(std::move(book)) {}
  base::result<void> match();
  base::result<void> weigh();
  base::result<std::string> chosen(std::string_view id);
  std::string condition() const;
  TierChoice choose(Tiers tiers, const RowChoice& wanted);
  base::result<std::vector<std::string>> parts_of(Tiers tiers, const TierChoice& choice,
                                                  std::string_view columns, const RowChoice& wanted,
                                                  Scope* other = nullptr);
  void note_tier(const Tier& tier);
  void note_once(std::string text);
  // Seconds of the range whose rows of a table were dropped.
  std::uint64_t gone_seconds(std::string_view table) const;
  std::string part_of(const Tier& tier, bool is_finest, std::string_view columns,
                      const std::string& rows, const RowChoice& choice) const;

  Store* store_;
  const Question* question_;
  TierBook book_;
  Account account_;
  std::string matching_;        // "FROM db.series WHERE ...": the series that match
  std::string matching_there_;  // of one shard, for sub-selects
  std::string chosen_;          // " AND service IN (...) AND series IN (...)", or nothing
};

}  // namespace polytrace::fleet
