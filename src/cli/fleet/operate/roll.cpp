// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/operate/operation.hpp"

namespace polytrace::cli {
namespace {

class FleetRoll final : public FleetOperation {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-roll",
        "[OPTIONS]",
        "Makes profile_1m of profile_10s, and once a day is over profile_1h and methods_1h, for "
        "groups of processes that differ in host and instance alone. An hour is due 15 minutes "
        "after its end, and again when later rows were sent for it. Each partition is made anew "
        "from all its rows and swapped in at once: readers see no hole, and running it again, or "
        "twice at the same time, changes nothing.\n\n"
        "With a time, its hours and days are made whether they are due or not, if they are over.",
        {{"what is due, each hour from a timer",
          "polytrace fleet roll --store http://127.0.0.1:8123/shop"},
         {"some hours again", "polytrace fleet roll --last 3h"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    FleetOperation::define(list);
    const char* group = "Selection";
    list.add("--last", words_.last, "The hours of so much time up to --to").takes("TIME").in(group);
    list.add("--from", words_.from, "From here on: 2026-11-21T10:00:00Z, or seconds since 1970")
        .takes("TIME")
        .in(group);
    list.add("--to", words_.to, "Up to here (default: now)").takes("TIME").in(group);
  }

 private:
  base::result<fleet::ShardOperation> prepare(Session& session) override {
    fleet::RollOrder order{.now = seconds_now()};
    if (!words_.last.empty() || !words_.from.empty() || !words_.to.empty()) {
      const auto range = fleet::parse_range(words_, order.now);
      if (!range) return base::Unexpected(range.error());
      order.range = *range;
    }
    order.tell = [&](const std::string& what) { session.detail("rolling " + what); };
    return fleet::ShardOperation{
        "roll", [order](fleet::Store& store) { return fleet::roll(store, order); }};
  }
  // An hour of a large store takes a while to add up.
  std::chrono::milliseconds patience() const override { return std::chrono::hours{1}; }

  fleet::RangeWords words_;
};

}  // namespace

std::unique_ptr<Command> make_fleet_roll() { return std::make_unique<FleetRoll>(); }

}  // namespace polytrace::cli
