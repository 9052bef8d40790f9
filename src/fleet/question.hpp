// SPDX-License-Identifier: Apache-2.0
// A question to a fleet, and what every answer says of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/table/table.hpp"
#include "base/text/json_writer.hpp"
#include "fleet/range.hpp"
#include "fleet/store.hpp"
#include "fleet/where.hpp"

namespace polytrace::fleet {

struct Question {
  Where where{};
  Range range{};
  bool exact = false;            // rows that were sent twice count once, whatever it takes
  std::uint32_t resolution = 0;  // seconds: rather from rows of that length; 0: by the range
  analysis::TableOptions table{};
};

// The same as people type it.
struct QuestionWords {
  std::string where{};
  RangeWords range{};
  std::string resolution{};  // "10s", "1m", "1h"; empty: by the range
  bool exact = false;
};
// Errors are usage, where_wrong.
base::result<Question> make_question(const QuestionWords& words, std::uint32_t now);
// How it was before: the same of the processes that `other` chooses, where it is told, and so much
// earlier, where `offset` is. Errors are usage (none is told), where_wrong.
base::result<Question> question_before(const Question& question, const std::string& other,
                                       const std::string& offset);

// What an answer is made of.
struct Account {
  std::string store;  // its name
  Range range{};
  std::string where;
  std::vector<std::string> tiers{};  // the tables asked, finest first; none: only who is there
  std::uint32_t resolution = 0;      // seconds, of the coarsest; 0: none
  std::uint64_t series = 0;          // that match
  std::uint64_t thinned = 0;         // of them such that stand for several: rows were thinned
  std::uint64_t rows = 0;            // that were added up
  std::uint64_t process_seconds = 0;
  std::uint64_t events = 0;  // recorded in the range
  std::uint64_t lost = 0;    // not recorded, by agents, edges or hubs
  Shards shards{};           // of the store, and how many of them answered
  bool is_exact = false;     // rows that were sent twice counted once
  std::vector<std::string> notes{};
};

struct Answer {
  Account account;
  std::vector<analysis::Table> tables{};
  std::optional<Account> before{};  // of what it is compared with
};

// For people: three lines, and one for each note.
std::vector<std::string> account_lines(const Account& account);
// The members of an object that is open.
void write_account(base::JsonWriter& json, const Account& account);
// {"schema": "polytrace.fleet/1", ...}
std::string answer_json(const Answer& answer);

}  // namespace polytrace::fleet
