// SPDX-License-Identifier: Apache-2.0
// What the commands that keep a store share: its options, and how their reports look. One thread at
// a time.
#pragma once

#include <chrono>

#include "cli/fleet/fleet_options.hpp"
#include "fleet/operate/shards.hpp"

namespace polytrace::cli {

// A store by its shards, each by its replicas.
class ShardOptions {
 public:
  void add_to(OptionList& list);
  // What they and the environment say. Errors: usage, address_wrong.
  base::result<warehouse::ShardAddresses> shards() const;
  const LoginOptions& login() const { return login_; }

 private:
  std::vector<std::string> addresses_;
  LoginOptions login_;
};

class FleetOperation : public Command {
 public:
  void define(OptionList& list) override;
  CommonNeeds needs() const override { return {true, false}; }
  int run(Session& session) override;

 protected:
  // What is done to a shard; the words are looked at before any is asked. Errors: usage. It is used
  // as long as this lives.
  virtual base::result<fleet::ShardOperation> prepare(Session& session) = 0;
  // For one answer.
  virtual std::chrono::milliseconds patience() const { return std::chrono::minutes{1}; }

 private:
  ShardOptions store_;
};

// Shows the report; 4 where what is there is not what should be, or a shard is missing in it. Where
// none answered, the worst code of their faults.
int tell_report(Session& session, const fleet::Report& report);
// Seconds since 1970.
std::uint32_t seconds_now();

}  // namespace polytrace::cli
