// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"

namespace polytrace::cli {
namespace {

class FleetLocks final : public TypeQuestion {
 public:
  FleetLocks() : TypeQuestion(analysis::Carrier::contentions) {}
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-locks",
        "[OPTIONS]",
        "Time waited and contentions by the class of the lock and by the method that waits, each "
        "also for a second of a process.",
        {{"who waits?", "polytrace fleet locks --where service=shop --last 6h"},
         {"how often", "polytrace fleet locks --sort contentions"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }
};

}  // namespace

std::unique_ptr<Command> make_fleet_locks() { return std::make_unique<FleetLocks>(); }

}  // namespace polytrace::cli
