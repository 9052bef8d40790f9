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

class Scope {
 public:
  // Asks who matches, what was lost, and whether anything was sent twice.
  static base::result<Scope> open(Store& store, const Question& question);

  Store& store() const { return *store_; }
  const Question& question() const { return *question_; }
  // What is known of the answer so far. Questions add what they met.
  Account& account() { return account_; }

  // "FROM db.health_10s FINAL WHERE ...": rows of the series that match, within the range. The
  // account notes the table, but for a resolution of 0. It has the columns service, hour, series
  // and t.
  std::string of(std::string_view table, std::uint32_t resolution);
  // "FROM (SELECT columns FROM db.profile_1m WHERE ... UNION ALL ...) AS p": rows of the processes
  // that match, within the range, each from the tier that the range or the question wants; where it
  // lacks something, from others. The account notes the tables, and what none has any more. `more`
  // is a condition on columns that all tiers have, or nothing.
  base::result<std::string> rows_of(Tiers tiers, std::string_view columns,
                                    const std::string& more = {});
  // "db.series": for joins by series.
  std::string name_of(std::string_view table) const { return store_->name_of(table); }

 private:
  Scope(Store& store, const Question& question) : store_(&store), question_(&question) {}
  base::result<void> match();
  base::result<void> weigh();
  base::result<std::string> chosen(std::string_view id);
  std::string condition() const;
  TierChoice choose(Tiers tiers, const TierBook& book);

  Store* store_;
  const Question* question_;
  Account account_;
  std::string matching_;  // "FROM db.series WHERE ...": the series that match
  std::string chosen_;    // " AND service IN (...) AND series IN (...)", or nothing
};

}  // namespace polytrace::fleet
