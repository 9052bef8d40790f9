// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetLocks final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-locks",
        "what processes wait for, by lock and method",
        "[OPTIONS]",
        "Time waited and contentions by the class of the lock and by the method that waits, each "
        "also for a second of a process.",
        {{"who waits?", "polytrace fleet locks --where service=shop --last 6h"},
         {"how often", "polytrace fleet locks --sort contentions"}},
        {0, 1, 2, 3},
        "docs/fleet.md"};
    return kHelp;
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    return fleet::ask_types(store, question, analysis::Carrier::contentions);
  }
};

}  // namespace

std::unique_ptr<Command> make_fleet_locks() { return std::make_unique<FleetLocks>(); }

}  // namespace polytrace::cli
