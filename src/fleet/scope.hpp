// SPDX-License-Identifier: Apache-2.0
// What a question is about, in one store: which series match, and from which rows of which tables
// it is answered. One thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/question.hpp"
#include "fleet/store.hpp"

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
  // "db.series": for joins by series.
  std::string name_of(std::string_view table) const {
    return store_->database() + '.' + std::string(table);
  }

 private:
  Scope(Store& store, const Question& question) : store_(&store), question_(&question) {}
  base::result<void> match();
  base::result<void> weigh();
  std::string condition() const;

  Store* store_;
  const Question* question_;
  Account account_;
  std::string chosen_;  // " AND service IN (...) AND series IN (...)", or nothing
};

}  // namespace polytrace::fleet
