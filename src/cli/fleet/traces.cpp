// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetTraces final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-traces",
        "[OPTIONS]",
        "Traces that were pushed or kept (by a collector's rule, or with fleet get --keep), which "
        "have something of the range: when they begin, how long they are, of which process, why "
        "they were kept (the rule's name), and their place: an object's name (fleet get "
        "--objects), "
        "edge:NAME of the collector that has the blocks, file:PATH. Windows that a rule named and "
        "that were not kept have the place nowhere, with the reason. The digest by which a trace "
        "is known again is, of kept ones, XXH3-128 of all its bytes.",
        {{"of one service", "polytrace fleet traces --where service=shop --last 7d"},
         {"the largest ones", "polytrace fleet traces --last 7d --sort bytes"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    return fleet::ask_traces(store, question);
  }
};

}  // namespace

std::unique_ptr<Command> make_fleet_traces() { return std::make_unique<FleetTraces>(); }

}  // namespace polytrace::cli
