// SPDX-License-Identifier: Apache-2.0
// The options that commands of the fleet share, and how their answers look. One thread at a time.
#pragma once

#include <string>

#include "cli/frame/session.hpp"
#include "cli/options/table_output.hpp"
#include "cli/store/store_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {

class QuestionOptions {
 public:
  // `to` is what the end of the range is called: "--to", or "--until" where --to is a target.
  void add_to(OptionList& list, std::string_view to);
  // Errors are usage, where_wrong.
  base::result<fleet::Question> question() const;

 private:
  fleet::QuestionWords words_;
};

// What an answer says of itself, printable; no end of line behind the last.
std::string account_text(const fleet::Account& account);

// 4 where a shard is missing in the answer, else 0.
int code_of(const fleet::Account& account);
// Shows the answer; the exit code.
int tell_fleet(Session& session, fleet::Answer answer, const TableOutput& output);
int tell_fleet(Session& session, base::result<fleet::Answer> answer, const TableOutput& output);

// A command whose answer is tables: these options and what asks.
class FleetQuestion : public Command {
 public:
  FleetQuestion() = default;
  // Its tables have so many rows unless told otherwise; 0 = all.
  explicit FleetQuestion(std::uint64_t rows) : output_(rows) {}

  void define(OptionList& list) override;
  CommonNeeds needs() const override { return {.json = true, .progress = false, .pager = true}; }
  int run(Session& session) override;

 protected:
  virtual base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) = 0;

 private:
  StoreOptions store_;
  QuestionOptions question_;
  TableOutput output_;
};

// One that asks by type and method, and by the values of a label if one is named.
class TypeQuestion : public FleetQuestion {
 public:
  void define(OptionList& list) override;

 protected:
  explicit TypeQuestion(analysis::Carrier carrier) : carrier_(carrier) {}

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override;

  analysis::Carrier carrier_;
  std::string label_;
};

}  // namespace polytrace::cli
