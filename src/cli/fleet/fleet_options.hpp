// SPDX-License-Identifier: Apache-2.0
// The options that commands of the fleet share, and how their answers look. One thread at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/frame/session.hpp"
#include "cli/options/table_output.hpp"
#include "fleet/moments/piece.hpp"
#include "fleet/questions.hpp"
#include "fleet/store.hpp"
#include "warehouse/objects/objects.hpp"

namespace polytrace::cli {

// Who asks a store.
class LoginOptions {
 public:
  void add_to(OptionList& list);
  void tell(warehouse::LinkOptions& options) const;

 private:
  std::string user_;
  std::string password_file_;
};

class StoreOptions {
 public:
  void add_to(OptionList& list);
  // Whether --store was said.
  bool is_told() const { return !address_.empty(); }
  // What they and the environment say. Errors: usage.
  base::result<warehouse::LinkOptions> link() const;
  // The store, connected. Errors: those of fleet::Store::open.
  base::result<fleet::Store> open() const;

 private:
  std::string address_;
  LoginOptions login_;
};

// Where a collector hands out what it keeps, itself or through a hub.
class EdgeOptions {
 public:
  void add_to(OptionList& list);
  // Whether there is a token, without which nobody is answered, or should be one.
  bool is_told() const { return !token_file_.empty() || !hub_.empty(); }
  // Errors: open_failed, of the token's file; usage.
  base::result<fleet::Edge> edge() const;

 private:
  static constexpr std::string_view kOwnPort = "http://127.0.0.1:8472";

  std::string url_{kOwnPort};
  std::string hub_, ca_, token_file_;
};

// Where collectors write what their rules keep: objects.to of their configuration.
class ObjectOptions {
 public:
  void add_to(OptionList& list);
  // By option or environment.
  bool is_told() const;
  warehouse::ObjectsOptions objects() const;

 private:
  std::string to_;
  std::string region_;
  std::string key_file_;
};

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
