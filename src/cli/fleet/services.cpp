// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetServices final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-services",
        "[OPTIONS]",
        "Of each service how many series, hosts and versions it has, and what was recorded of it "
        "in the range.",
        {{"all", "polytrace fleet services"},
         {"of one region, as CSV",
          "polytrace fleet services --where 'region=~\"^eu\"' --format csv"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    return fleet::ask_services(store, question);
  }
};

}  // namespace

std::unique_ptr<Command> make_fleet_services() { return std::make_unique<FleetServices>(); }

}  // namespace polytrace::cli
