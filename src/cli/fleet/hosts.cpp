// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetHosts final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-hosts",
        "[OPTIONS]",
        "Compares the hosts of each group, which is all that has the same labels but for host and "
        "instance, by one figure for a second of a process. Shown are hosts that are further from "
        "the median of their group than 3 median absolute deviations, and by half of it. Groups of "
        "fewer than three hosts are not compared, and counted.",
        {{"where are pauses unusual?", "polytrace fleet hosts --where service=shop --last 6h"},
         {"who allocates more than others?", "polytrace fleet hosts --what alloc"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    FleetQuestion::define(list);
    list.add("--what", what_, "Time in pauses, self time of methods, or allocated bytes")
        .one_of({"pauses", "self", "alloc"})
        .takes("FIGURE")
        .shows_default()
        .in("Selection");
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    return fleet::ask_hosts(store, question, fleet::find_host_figure(what_).value());
  }

  std::string what_ = "pauses";
};

}  // namespace

std::unique_ptr<Command> make_fleet_hosts() { return std::make_unique<FleetHosts>(); }

}  // namespace polytrace::cli
