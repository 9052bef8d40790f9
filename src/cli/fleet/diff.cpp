// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/codes.hpp"
#include "cli/fleet/fleet_options.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetDiff final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-diff",
        "which methods got slower, between versions or times",
        "[OPTIONS] --base CONDITION | --offset TIME",
        "Compares processes that --base chooses with those that --where chooses, or the range with "
        "the same one --offset earlier. Self time and calls of each method are for a second of a "
        "process, so that few can be compared with many. Noise is twice the standard error of the "
        "change, by the hosts of both sides: a change within it may be chance. fleet flame --base "
        "shows stacks.",
        {{"version 2 against version 1", "polytrace fleet diff --base version=1 --where version=2"},
         {"now against a week ago",
          "polytrace fleet diff --where service=shop --last 6h --offset 7d"}},
        {0, 1, 2, 3},
        "docs/fleet.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    FleetQuestion::define(list);
    list.add("--base", base_, "How it was before: processes with such labels")
        .takes("CONDITION")
        .in("Selection");
    list.add("--offset", offset_, "How it was before: so much earlier: 1d, 7d")
        .takes("TIME")
        .in("Selection");
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    auto before = earlier(question);
    if (!before) return base::Unexpected(before.error());
    return fleet::ask_diff(store, *before, question);
  }
  base::result<fleet::Question> earlier(const fleet::Question& question) const {
    if (base_.empty() && offset_.empty())
      return base::fail(base::Code::usage, "with what? Say --base CONDITION or --offset TIME");
    fleet::Question before = question;
    if (!base_.empty()) {
      auto where = fleet::parse_where(base_);
      if (!where) return base::Unexpected(where.error());
      before.where = std::move(*where);
    }
    if (offset_.empty()) return before;
    const auto offset = fleet::parse_span(offset_);
    if (!offset) return base::Unexpected(offset.error());
    if (*offset > before.range.from)
      return base::fail(base::Code::usage, fmt::format("--offset: \"{}\" is too long", offset_));
    before.range.from -= *offset;
    before.range.to -= *offset;
    return before;
  }

  std::string base_, offset_;
};

}  // namespace

std::unique_ptr<Command> make_fleet_diff() { return std::make_unique<FleetDiff>(); }

}  // namespace polytrace::cli
