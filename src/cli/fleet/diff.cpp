// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"
#include "exports/target.hpp"
#include "fleet/flame.hpp"
#include "fleet/questions.hpp"

namespace polytrace::cli {
namespace {

class FleetDiff final : public FleetQuestion {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-diff",
        "[OPTIONS] --base CONDITION | --offset TIME",
        "Compares processes that --base chooses with those that --where chooses, or the range with "
        "the same one --offset earlier. Self time and calls of each method are for a second of a "
        "process, so that few can be compared with many. Noise is twice the standard error of the "
        "change, by the hosts of both sides: a change within it may be chance.\n\n"
        "--by stack compares self time and calls of whole stacks, --by type allocated bytes and "
        "objects. --flame writes both sides as one flame page besides.",
        {{"version 2 against version 1", "polytrace fleet diff --base version=1 --where version=2"},
         {"now against a week ago",
          "polytrace fleet diff --where service=shop --last 6h --offset 7d"}},
        {0, 1, 2, 3, 4},
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
    list.add("--by", by_, "What is compared: self time of methods or stacks, bytes of types")
        .one_of({"method", "stack", "type"})
        .takes("WHAT")
        .shows_default()
        .in("Selection");
    list.add("--flame", page_.file, "Write a flame page of both, too").takes("FILE").in("Output");
    list.add("-f,--force", page_.force, "Replace an existing flame page").in("Output");
  }

 private:
  base::result<fleet::Answer> ask(fleet::Store& store, const fleet::Question& question) override {
    auto before = fleet::question_before(question, base_, offset_);
    if (!before) return base::Unexpected(before.error());
    using By = fleet::DiffBy;
    const By by = by_ == "method" ? By::method : by_ == "stack" ? By::stack : By::type;
    auto answer = fleet::ask_diff(store, *before, question, by);
    if (answer && !page_.file.empty())
      if (auto drawn = draw(store, *before, question); !drawn)
        return base::Unexpected(drawn.error());
    if (answer && !page_.file.empty())
      answer->account.notes.push_back("the flame page is " + page_.file);
    return answer;
  }
  base::result<void> draw(fleet::Store& store, const fleet::Question& before,
                          const fleet::Question& question) {
    const analysis::Weight& weight = *analysis::find_weight(by_ == "type" ? "bytes" : "time");
    auto both = fleet::ask_compared(store, before, question, weight);
    if (!both) return base::Unexpected(both.error());
    page_.target = &exports::flame_page();
    return fleet::write_profile(std::move(both->profile), to_text(question.where), page_)
        .map([](const exports::Result&) {});
  }

  std::string base_, offset_, by_ = "method";
  fleet::FlameOrder page_;
};

}  // namespace

std::unique_ptr<Command> make_fleet_diff() { return std::make_unique<FleetDiff>(); }

}  // namespace polytrace::cli
