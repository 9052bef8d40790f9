// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetSeries final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-series",
        "[OPTIONS]",
        "A series is one process with its labels. Of each: its labels, when it was first seen, how "
        "far its clock was off, and what was recorded of it in the range: for how long, how many "
        "events, and how many of them were lost. Series that had not begun when the range ended "
        "are left out.",
        {{"of one service", "polytrace fleet series --where service=shop"},
         {"who loses events?", "polytrace fleet series --last 1d --sort lost"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    return fleet::ask_series(store, question);
  }
};

}  // namespace

std::unique_ptr<Command> make_fleet_series() { return std::make_unique<FleetSeries>(); }

}  // namespace polytrace::cli
