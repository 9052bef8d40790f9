// SPDX-License-Identifier: Apache-2.0
// What the commands that keep a store share: its options, and how their reports look. One thread at
// a time.
#pragma once

#include "cli/fleet/fleet_options.hpp"
#include "fleet/operate/operations.hpp"

namespace polytrace::cli {

class FleetOperation : public Command {
 public:
  void define(OptionList& list) override;
  CommonNeeds needs() const override { return {true, false}; }
  int run(Session& session) override;

 protected:
  // Asks or changes the store; errors are usage where the words are wrong, before it is asked.
  virtual base::result<fleet::Report> work(Session& session, const StoreOptions& store) = 0;

 private:
  StoreOptions store_;
};

// Shows the report; 4 where what is there is not what should be.
int tell_report(Session& session, const fleet::Report& report);
// Seconds since 1970.
std::uint32_t seconds_now();

}  // namespace polytrace::cli
