// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/report.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/explain/report_view.hpp"
#include "cli/frame/commands.hpp"
#include "service/words/words.hpp"
#include "cli/select/subtract.hpp"
#include "slice/pauses.hpp"

namespace polytrace::cli {
namespace {

using analysis::Section;
using analysis::Table;

base::result<std::vector<const Section*>> parse_sections(std::string_view list) {
  std::vector<const Section*> chosen;
  std::vector<std::string> known;
  for (const Section& section : analysis::sections()) known.emplace_back(section.key);
  for (const std::string_view word : service::listed(list)) {
    const Section* section = analysis::find_section(word);
    if (section == nullptr)
      return base::fail(base::Code::usage,
                        fmt::format("no section \"{}\"{} (there are {})", word,
                                    service::did_you_mean(word, known), fmt::join(known, ", ")));
    chosen.push_back(section);
  }
  return chosen;
}

class ReportCommand final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "report",
        "where did time, memory and pauses go?",
        "[OPTIONS] FILE",
        "What looks like a fault first, then a summary, then the tables that matter most, and the "
        "commands that show more. --all shows every table, section by section: methods, call tree, "
        "callers, bottom-up, CPU time, samples, allocations, survival, collections, heap "
        "snapshots, roots, handles, monitors, exceptions, threads, compilation, counters, domains; "
        "sections without data are named at its end, with the reason. So do --limit, --sort and "
        "every form for programs. On a terminal, columns that have no room are left out.\n\n"
        "Times are in ns to h and sizes in KiB and MiB; every form but text and md has plain "
        "nanoseconds and bytes.",
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
    add_selection_options(list, selection_, "Only rows whose name contains this");
    add_subtract_option(list, selection_);
    define_output(list);
  }
  int run(Session& session) override {
    if (auto good = output_.check(session); !good) return session.fail(good.error());
    const auto form = output_.form(session);
    const auto sections = parse_sections(asked_sections());
    if (!sections) return session.fail(sections.error());
    Input input(input_);
    auto selection = make_selection(session, input, selection_);
    if (!selection) return session.fail(selection.error(), input.name());
    selection->show_helpers = show_helpers_;
    selection->method = method_;
    selection->fold_recursion = fold_recursion_;
    auto opened = input.open();
    if (!opened) return session.fail(opened.error(), input.name());
    analysis::Report report(*sections, *selection);
    Passed passed = pass(session, input, *opened->reader, report);
    report.finish();
    passed.add_limits(report.limits());
    ReportResult result{input,
                        *opened,
                        passed,
                        *selection,
                        report.names().first_time(),
                        report.tables(output_.options())};
    result.empty = explain(report.empty_sections(result.tables), *opened->format);
    result.is_brief = is_brief(form);
    return answer(session, std::move(result), output_);
  }

 private:
  // A method alone is what calls it and what it calls.
  std::string asked_sections() const {
    return sections_.empty() && !all_ && !method_.empty() ? "sandwich" : sections_;
  }
  // Nobody said what to show: what fits a screen or two. Programs get everything.
  bool is_brief(TableForm form) const {
    const bool for_people = form == TableForm::text || form == TableForm::markdown;
    return for_people && !all_ && asked_sections().empty() && output_.is_untouched();
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
    list.add("--method", method_,
             "Between all its callers and all its callees: the section sandwich")
        .takes("NAME")
        .in(group);
    list.add("--fold-recursion", fold_recursion_,
             "In the call tree, a method that calls itself, directly or not, is one node")
        .in(group);
    output_.add_to(list);
    list.add("--show-helpers", show_helpers_,
             "Show the runtime's own helper frames (wrappers); they count for their callers else")
        .in(group);
  }

  InputOptions input_;
  SelectionOptions selection_;
  bool all_ = false;
  std::string sections_;
  std::string method_;
  bool fold_recursion_ = false;
  TableOutput output_;
  bool show_helpers_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<ReportCommand>(); }

}  // namespace polytrace::cli
