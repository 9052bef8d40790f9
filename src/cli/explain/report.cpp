// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/report/report.hpp"
#include "base/codes.hpp"
#include "cli/explain/report_view.hpp"
#include "cli/options/trace_options.hpp"

namespace polytrace::cli {
namespace {

using analysis::Section;

// Section by section, as people call them.
std::string described() {
  std::vector<std::string_view> said;
  for (const Section& section : analysis::sections())
    if (!section.said.empty()) said.push_back(section.said);
  return fmt::format(
      "What looks like a fault first, then a summary, then the tables that matter most, and the "
      "commands that show more. --all shows every table, section by section: {}; sections without "
      "data are named at its end, with the reason. So do --limit, --sort and every form for "
      "programs. On a terminal, columns that have no room are left out.\n\n"
      "Times are in ns to h and sizes in KiB and MiB; every form but text and md has plain "
      "nanoseconds and bytes.",
      fmt::join(said, ", "));
}

class ReportCommand final : public Command {
 public:
  const CommandHelp& help() const override {
    static const std::string kDescription = described();
    static const CommandHelp kHelp{
        "report",
        "[OPTIONS] FILE",
        kDescription,
        {{"what matters most", "polytrace report app.mlpd"},
         {"everything", "polytrace report --all app.mlpd"},
         {"who calls a method, and what it calls", "polytrace report --method Main app.mlpd"},
         {"the ten methods with the most time of their own",
          "polytrace report --sections calls --sort self --limit 10 app.mlpd"},
         {"allocations of one thread in the second half, for a spreadsheet",
          "polytrace report --sections allocations --thread Main --from 50% --format csv app.mlpd"},
         {"time that a method really worked",
          "polytrace report --sections calls,tree --subtract gc,waits app.mlpd"},
         {"all tables, for a script", "polytrace report --json --limit 0 app.mlpd | jq .tables"}},
        {0, 1, 2, 3, 4, 6, 130},
        "polytrace help times, docs/reference/json.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {.pager = true}; }
  void define(OptionList& list) override {
    add_input_options(list, input_, Following::offered);
    add_index_options(list, input_.index, Traces::one);
    add_selection_options(list, question_.selection, "Only rows whose name contains this");
    add_subtract_option(list, question_.selection);
    define_output(list);
  }
  int run(Session& session) override {
    if (auto good = output_.check(session); !good) return session.fail(good.error());
    question_.sections = asked_sections();
    question_.table = output_.options();
    service::Input input(input_, session.asking());
    auto answer = service::ask_report(input, question_);
    if (!answer) return session.refuse(answer.error());
    return tell_answer(session, std::move(*answer), output_, detail(output_.form(session)));
  }

 private:
  // A method alone is what calls it and what it calls.
  std::string asked_sections() const {
    return sections_.empty() && !all_ && !question_.method.empty() ? "sandwich" : sections_;
  }
  // Nobody said what to show: what fits a screen or two. Programs get everything.
  Detail detail(TableForm form) const {
    const bool for_people = form == TableForm::text || form == TableForm::markdown;
    return for_people && !all_ && question_.sections.empty() && output_.is_untouched()
               ? Detail::brief
               : Detail::all;
  }

  void define_output(OptionList& list) {
    const char* group = "Output";
    std::vector<std::string> keys;
    for (const Section& section : analysis::sections()) keys.emplace_back(section.key);
    list.add("--all", all_, "All tables of all sections, not only those that matter most")
        .in(group);
    list.add("--sections", sections_,
             fmt::format("Only these, separated by commas: {}", fmt::join(keys, ", ")))
        .takes("SECTION[,SECTION...]")
        .in(group);
    list.add("--method", question_.method,
             "Between all its callers and all its callees: the section sandwich")
        .takes("NAME")
        .in(group);
    list.add("--fold-recursion", question_.fold_recursion,
             "In the call tree, a method that calls itself, directly or not, is one node")
        .in(group);
    output_.add_to(list);
    list.add("--show-helpers", question_.show_helpers,
             "Show the runtime's own helper frames (wrappers); they count for their callers else")
        .in(group);
  }

  service::InputOptions input_;
  service::ReportQuestion question_;
  std::string sections_;
  bool all_ = false;
  TableOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<ReportCommand>(); }

}  // namespace polytrace::cli
