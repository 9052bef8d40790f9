// SPDX-License-Identifier: Apache-2.0
// The options that commands of the fleet share, and how their answers look. One thread at a time.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cli/frame/session.hpp"
#include "cli/options/table_output.hpp"
#include "fleet/question.hpp"
#include "fleet/store.hpp"

namespace polytrace::cli {

class StoreOptions {
 public:
  void add_to(OptionList& list);
  // What they and the environment say. Errors: usage.
  base::result<warehouse::LinkOptions> link() const;
  // The store, connected; `patience` is for one answer. Errors: those of fleet::Store::open.
  base::result<fleet::Store> open(std::chrono::milliseconds patience = kPatience) const;

 private:
  static constexpr std::chrono::milliseconds kPatience{60'000};

  std::string address_;
  std::string user_;
  std::string password_file_;
};

class QuestionOptions {
 public:
  // `to` is what the end of the range is called: "--to", or "--until" where --to is a target.
  void add_to(OptionList& list, std::string_view to);
  // Errors are usage, where_wrong.
  base::result<fleet::Question> question() const;

 private:
  std::string where_;
  fleet::RangeWords range_;
  std::string resolution_;
  bool exact_ = false;
};

// What an answer says of itself, printable; no end of line behind the last.
std::string account_text(const fleet::Account& account);

// Shows the answer; the exit code.
int tell_fleet(Session& session, fleet::Answer answer, const TableOutput& output);
int tell_fleet(Session& session, base::result<fleet::Answer> answer, const TableOutput& output);

// A command whose answer is tables: these options and what asks.
class FleetQuestion : public Command {
 public:
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

}  // namespace polytrace::cli
