// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetMethods final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-methods",
        "[OPTIONS]",
        "Self and total time, calls, calls for each second of a process, and quantiles of the "
        "length of a call, which are off by at most 1/33. Of each process and minute the store "
        "has the 64 methods with the most time.",
        {{"where does time go?", "polytrace fleet methods --where service=shop --last 6h"},
         {"which calls are slow now and then?",
          "polytrace fleet methods --sort p99 --columns p50,p99,max,calls,method"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    FleetQuestion::define(list);
    list.add("--name", name_, "Only methods whose name contains this")
        .takes("TEXT")
        .in("Selection");
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    return fleet::ask_methods(store, question, name_);
  }

  std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_fleet_methods() { return std::make_unique<FleetMethods>(); }

}  // namespace polytrace::cli
