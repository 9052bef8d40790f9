// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/operate/operation.hpp"

namespace polytrace::cli {
namespace {

class FleetVerify final : public FleetOperation {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-verify",
        "[OPTIONS]",
        "Whoever sends rows tells how many they are and what they add up to, by table and hour. "
        "This adds up what is there, each row once, and shows hours that differ, with who sent "
        "them; and hours of coarser tiers that differ from the finest. Exit code 4 where any does. "
        "Hours that were dropped are left out, and counted.",
        {{"the last two days", "polytrace fleet verify --store http://127.0.0.1:8123/shop"},
         {"one hour",
          "polytrace fleet verify --from 2026-11-21T10:00:00Z --to 2026-11-21T11:00:00Z"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    FleetOperation::define(list);
    const char* group = "Selection";
    list.add("--last", words_.last, "So much time up to --to (default: 48h)")
        .takes("TIME")
        .in(group);
    list.add("--from", words_.from, "From here on: 2026-11-21T10:00:00Z, or seconds since 1970")
        .takes("TIME")
        .in(group);
    list.add("--to", words_.to,
             "Up to here (default: the last hour that has been over for 15 minutes)")
        .takes("TIME")
        .in(group);
  }

 private:
  base::result<fleet::ShardOperation> prepare(Session&) override {
    if (words_.last.empty() && words_.from.empty()) words_.last = "48h";
    // Of hours that go on, rows may be on their way.
    const std::uint32_t now = seconds_now() - fleet::kRollDelay;
    const auto range = fleet::parse_range(words_, now - now % 3600);
    if (!range) return base::Unexpected(range.error());
    return fleet::ShardOperation{
        "verify", [range = *range](fleet::Store& store) { return fleet::verify(store, range); }};
  }

  fleet::RangeWords words_;
};

}  // namespace

std::unique_ptr<Command> make_fleet_verify() { return std::make_unique<FleetVerify>(); }

}  // namespace polytrace::cli
