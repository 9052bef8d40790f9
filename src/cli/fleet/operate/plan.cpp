// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/operate/operation.hpp"

namespace polytrace::cli {
namespace {

class FleetPlan final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-plan",
        "[OPTIONS]",
        "Reckons rows, bytes on the wire and on disk, and cores, and shows the figures that it "
        "reckons with: which were measured and which are assumed. It asks no store.",
        {{"ten thousand processes", "polytrace fleet plan --processes 10000"},
         {"with shorter retention",
          "polytrace fleet plan --processes 1000000 --keep methods_1m=3d"}},
        {0, 2},
        "docs/fleet.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    const char* group = "Fleet";
    list.add("--processes", order_.processes, "How many are recorded at once")
        .takes("COUNT")
        .shows_default()
        .in(group);
    list.add("--level", order_.level, "What of each is recorded")
        .one_of(fleet::capacity_levels())
        .takes("LEVEL")
        .shows_default()
        .in(group);
    list.add("--stacks", order_.stacks,
             "Different stacks of a process in 10 s; 0: as many as were measured")
        .takes("COUNT")
        .shows_default()
        .in(group);
    list.add("--groups", order_.groups,
             "Groups of processes that differ in host and instance alone; 0: one for 62")
        .takes("COUNT")
        .shows_default()
        .in(group);
    list.add("--keep", keep_, "Keep a table's rows so long, as for fleet prune; again for more")
        .takes("TABLE=TIME")
        .in(group);
  }
  int run(Session& session) override {
    auto keep = fleet::parse_keep(keep_);
    if (!keep) return session.fail(keep.error());
    order_.keep = std::move(*keep);
    return tell_report(session, fleet::capacity(order_));
  }

 private:
  fleet::CapacityOrder order_;
  std::vector<std::string> keep_;
};

}  // namespace

std::unique_ptr<Command> make_fleet_plan() { return std::make_unique<FleetPlan>(); }

}  // namespace polytrace::cli
