// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/operate/operation.hpp"

namespace polytrace::cli {
namespace {

class FleetStatus final : public FleetOperation {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-status",
        "[OPTIONS]",
        "Services and senders of the last hour, with the time since their last rows and what was "
        "lost; rows and bytes of each table on the server's disk; hours that are due to be rolled "
        "up.",
        {{"now", "polytrace fleet status --store http://127.0.0.1:8123/shop"},
         {"for a monitor", "polytrace fleet status --json"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }

 private:
  base::result<fleet::ShardOperation> prepare(Session&) override {
    return fleet::ShardOperation{
        "status", [now = seconds_now()](fleet::Store& store) { return fleet::status(store, now); }};
  }
};

}  // namespace

std::unique_ptr<Command> make_fleet_status() { return std::make_unique<FleetStatus>(); }

}  // namespace polytrace::cli
