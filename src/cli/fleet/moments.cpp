// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "fleet/moments/moment.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetMoments final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-moments",
        "[OPTIONS]",
        "What is worth a look, the longest first: calls that were the slowest of their method, "
        "pauses, waits for locks, bursts of exceptions, losses. Each has a name, by which fleet "
        "get fetches the events around it from the collector that keeps them.",
        {{"the slowest calls of a method",
          "polytrace fleet moments --kind call --method Cart.total --where service=shop"},
         {"the longest pauses of a version",
          "polytrace fleet moments --kind pause --where version=2 --last 6h"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    FleetQuestion::define(list);
    list.add("--kind", kind_, "Only moments of this kind")
        .takes("KIND")
        .one_of({fleet::kMomentKinds.begin(), fleet::kMomentKinds.end()})
        .in("Selection");
    list.add("--method", name_, "Only with this text in the name of the method, or of the class")
        .takes("TEXT")
        .in("Selection");
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    return fleet::ask_moments(store, question, kind_, name_);
  }

  std::string kind_, name_;
};

}  // namespace

std::unique_ptr<Command> make_fleet_moments() { return std::make_unique<FleetMoments>(); }

}  // namespace polytrace::cli
