// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetPauses final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-pauses",
        "[OPTIONS]",
        "Time in pauses, its share of all time, collections and quantiles of the length of a "
        "pause, which are off by at most 1/33, by service or by any other label; and the longest "
        "pauses that the store has a moment of, with the stream and block to look at.",
        {{"by service", "polytrace fleet pauses --last 1d"},
         {"which version got worse?",
          "polytrace fleet pauses --where service=shop --group-by version --sort p99"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    FleetQuestion::define(list);
    list.add("--group-by", key_, "One row for each value of this label")
        .takes("LABEL")
        .shows_default()
        .in("Selection");
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    return fleet::ask_pauses(store, question, key_);
  }

  std::string key_ = "service";
};

}  // namespace

std::unique_ptr<Command> make_fleet_pauses() { return std::make_unique<FleetPauses>(); }

}  // namespace polytrace::cli
