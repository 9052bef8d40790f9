// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetCommands final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-commands",
        "[OPTIONS]",
        "Each order that a hub was given by fleet control, and each program's outcome: when, by "
        "whose token or certificate, what, to whom. An order is a row of outcome `asked` before "
        "anything of it is done; one that was refused is a row, too. The word in brackets at the "
        "end of a text is the order's name. With --where only rows about such processes.",
        {{"of the last day", "polytrace fleet commands --last 1d"},
         {"what was done to one service", "polytrace fleet commands --where service=shop"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    return fleet::ask_commands(store, question);
  }
};

}  // namespace

std::unique_ptr<Command> make_fleet_commands() { return std::make_unique<FleetCommands>(); }

}  // namespace polytrace::cli
