// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/fleet/operate/operation.hpp"
#include "fleet/tiers.hpp"

namespace polytrace::cli {
namespace {

// With what is kept unless told otherwise.
std::string prune_text() {
  std::string kept;
  for (const fleet::Kept& one : fleet::kept_tables())
    kept += fmt::format("{}{} {}d", kept.empty() ? "" : ", ", one.table, one.keep / fleet::kDay);
  return fmt::format(
      "Drops partitions whose rows are all older than their table keeps: {}. Of streams, which "
      "tell where a collector goes on, those go of which nothing was told for so long. Stacks and "
      "names of methods go by the month, once they are older than whatever is kept longest. Rows "
      "that no coarser tier has yet stay, and that is said. With --objects raw traces that "
      "collectors wrote there go with the rows that tell of them.",
      kept);
}

class FleetPrune final : public FleetOperation {
 public:
  const CommandHelp& help() const override {
    static const std::string kText = prune_text();
    static const CommandHelp kHelp{
        "fleet-prune",
        "[OPTIONS]",
        kText,
        {{"each day from a timer", "polytrace fleet prune --store http://127.0.0.1:8123/shop"},
         {"what would go?", "polytrace fleet prune --dry-run --keep profile_10s=12h"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    FleetOperation::define(list);
    const char* group = "Selection";
    list.add("--keep", keep_, "Keep a table's rows so long; again for more")
        .takes("TABLE=TIME")
        .in(group);
    list.add("--dry-run", dry_, "Only tell").in(group);
    objects_.add_to(list);
    list.add("-f,--force", force_, "Drop also what no coarser tier has").in(group);
  }

 private:
  base::result<fleet::ShardOperation> prepare(Session&) override {
    auto keep = fleet::parse_keep(keep_);
    if (!keep) return base::Unexpected(keep.error());
    if (objects_.is_told()) {
      auto opened = warehouse::Objects::open(objects_.objects());
      if (!opened) return base::Unexpected(opened.error());
      opened_ = std::move(*opened);
    }
    const fleet::PruneOrder order{std::move(*keep), dry_, force_, seconds_now(), opened_.get()};
    return fleet::ShardOperation{
        "prune", [order](fleet::Store& store) { return fleet::prune(store, order); }};
  }

  ObjectOptions objects_;
  std::unique_ptr<warehouse::Objects> opened_;
  std::vector<std::string> keep_;
  bool dry_ = false, force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_fleet_prune() { return std::make_unique<FleetPrune>(); }

}  // namespace polytrace::cli
