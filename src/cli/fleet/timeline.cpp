// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetTimeline final : public FleetQuestion {
 public:
  FleetTimeline() : FleetQuestion(kAllSteps) {}
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-timeline",
        "[OPTIONS]",
        "Calls, self time, pauses, allocation, waits, exceptions and losses in each step of the "
        "range, by service or by any other label; of more than 20 values those with the fewest "
        "process-seconds are one. Steps begin at multiples of their length. Self time is known by "
        "the minute.",
        {{"the last hour, minute by minute", "polytrace fleet timeline --where service=shop"},
         {"two versions side by side, for a spreadsheet",
          "polytrace fleet timeline --last 1d --group-by version --format csv"}},
        {0, 1, 2, 3},
        "docs/fleet.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    FleetQuestion::define(list);
    list.add("--group-by", key_, "One row of each step for each value of this label")
        .takes("LABEL")
        .shows_default()
        .in("Selection");
    list.add("--step", step_,
             "How long a step is, a multiple of 10s (default: by the length of the range, 1min or "
             "more)")
        .takes("TIME")
        .in("Selection");
  }

 private:
  static constexpr std::uint64_t kAllSteps = 0;

  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    if (step_.empty()) return fleet::ask_timeline(store, question, key_, 0);
    const auto step = fleet::parse_span(step_);
    if (!step) return base::Unexpected(step.error());
    return fleet::ask_timeline(store, question, key_, *step);
  }

  std::string key_ = "service", step_;
};

}  // namespace

std::unique_ptr<Command> make_fleet_timeline() { return std::make_unique<FleetTimeline>(); }

}  // namespace polytrace::cli
