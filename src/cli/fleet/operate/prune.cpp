// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/fleet/operate/operation.hpp"
#include "fleet/tiers.hpp"

namespace polytrace::cli {
namespace {

// "profile_10s 2d, profile_1m 30d": what is kept unless told otherwise.
std::string kept_text() {
  std::string text;
  for (const fleet::Kept& kept : fleet::kept_tables())
    text += fmt::format("{}{} {}d", text.empty() ? "" : ", ", kept.table, kept.keep / fleet::kDay);
  return text;
}

class FleetPrune final : public FleetOperation {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-prune",
        "drops a store's old rows, whole partitions at a time",
        "[OPTIONS]",
        "Drops partitions whose rows are all older than their table keeps: " + kept_text() +
            ". Stacks and names of methods go by the month, once they are older than whatever is "
            "kept longest. Rows that no coarser tier has yet stay, and that is said.",
        {{"each day from a timer", "polytrace fleet prune --store http://127.0.0.1:8123/shop"},
         {"what would go?", "polytrace fleet prune --dry-run --keep profile_10s=12h"}},
        {0, 1, 2, 3},
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
    list.add("-f,--force", force_, "Drop also what no coarser tier has").in(group);
  }

 private:
  base::result<fleet::Report> work(Session&, const StoreOptions& options) override {
    auto keep = fleet::parse_keep(keep_);
    if (!keep) return base::Unexpected(keep.error());
    auto store = options.open();
    if (!store) return base::Unexpected(store.error());
    return fleet::prune(*store, {std::move(*keep), dry_, force_, seconds_now()});
  }

  std::vector<std::string> keep_;
  bool dry_ = false, force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_fleet_prune() { return std::make_unique<FleetPrune>(); }

}  // namespace polytrace::cli
