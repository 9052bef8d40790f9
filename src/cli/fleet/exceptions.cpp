// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"

namespace polytrace::cli {
namespace {

class FleetExceptions final : public TypeQuestion {
 public:
  FleetExceptions() : TypeQuestion(analysis::Carrier::exceptions) {}
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-exceptions",
        "[OPTIONS]",
        "Exceptions by their class and by the method that throws, each also for a second of a "
        "process.",
        {{"of one version", "polytrace fleet exceptions --where version=2"},
         {"in a script", "polytrace fleet exceptions --json | jq '.tables[0].rows'"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }
};

}  // namespace

std::unique_ptr<Command> make_fleet_exceptions() { return std::make_unique<FleetExceptions>(); }

}  // namespace polytrace::cli
