// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"

namespace polytrace::cli {
namespace {

class FleetAllocations final : public TypeQuestion {
 public:
  FleetAllocations() : TypeQuestion(analysis::Carrier::allocations) {}
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-allocations",
        "[OPTIONS]",
        "Bytes and objects by the allocated type and by the method that allocates, each also for a "
        "second of a process. Where programs sample their allocations, figures are estimates.",
        {{"what fills the heap", "polytrace fleet allocations --where service=shop"},
         {"the objects, as CSV", "polytrace fleet allocations --sort objects --format csv"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }
};

}  // namespace

std::unique_ptr<Command> make_fleet_allocations() { return std::make_unique<FleetAllocations>(); }

}  // namespace polytrace::cli
