// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/diff_view.hpp"
#include "cli/export_run.hpp"
#include "cli/notices_view.hpp"
#include "cli/numbers.hpp"
#include "cli/selection.hpp"
#include "cli/words.hpp"

namespace polytrace::cli {
namespace {

using analysis::DiffSide;
using analysis::PerWhat;

// "5%" as 0.05. Errors are usage.
base::result<double> parse_share(std::string_view option, std::string_view text) {
  std::string_view rest = text;
  const auto value = take_number<double>(rest);
  if (value && rest == "%" && *value >= 0) return *value / 100;
  return base::fail(base::Code::usage,
                    fmt::format("{}: \"{}\" is no percentage such as 5%", option, text));
}

PerWhat per_what(std::string_view word) {
  if (word == "time") return PerWhat::time;
  return word == "calls" ? PerWhat::calls : PerWhat::nothing;
}

// One of the two inputs, read.
struct Read {
  format::Opened opened;
  Passed passed;
  std::unique_ptr<DiffSide> side;
};

class Diff final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "diff",
        "what is different between two traces?",
        "[OPTIONS] BEFORE AFTER",
        "Compares methods, call tree, allocations, collections, locks, exceptions and heap of two "
        "traces, of any formats and runtimes, by name; and says which suspects are new and which "
        "are gone.\n\n"
        "Names are compared by one spelling: com.acme.Shop.main, Acme.Shop:Main (string[]) and "
        "Acme.Shop::Main are the same method. Changes of a method's time that are smaller than "
        "what it varies anyway from one part of the traces to the next are called noise.\n\n"
        "With --fail-over the exit code is 5 when a figure grew by more than that part of its "
        "table's whole; noise does not count.",
        {{"before and after a change", "polytrace diff before.ptrace after.ptrace"},
         {"the same as a flame graph", "polytrace flame --base before.ptrace after.ptrace"},
         {"the second one ran for longer", "polytrace diff --per time before.mlpd after.mlpd"},
         {"in CI", "polytrace diff --fail-over 5% --format md main.ptrace branch.ptrace"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "docs/analyses.md, docs/reference/json.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    list.add("BEFORE", before_.file, "The first trace; - is standard input")
        .takes("FILE")
        .required()
        .in("Input");
    list.add("AFTER", after_.file, "The second one").takes("FILE").required().in("Input");
    add_reading_options(list, before_, Following::not_offered);
    add_selection_options(list, selection_, "Only rows whose name contains this");
    const char* group = "Comparison";
    list.add("--per", per_, "Scale the second trace's figures to the first one's time or calls")
        .one_of({"nothing", "time", "calls"})
        .takes("WHAT")
        .shows_default()
        .in(group);
    list.add("--weight", weight_, "What the call tree compares (time, calls, bytes, samples ...)")
        .takes("WEIGHT")
        .suggests(weight_keys())
        .in(group);
    list.add("--exact-names", exact_names_, "Only names that are equal letter by letter are one")
        .in(group);
    list.add("--threshold", threshold_, "Leave out changes below this part of the whole")
        .takes("PERCENT")
        .shows_default()
        .in(group);
    list.add("--fail-over", fail_over_, "Exit with 5 when a figure grew by more than that")
        .takes("PERCENT")
        .in(group);
    group = "Output";
    list.add("--sort", options_.table.sort, "Sort tables that have this column by it")
        .takes("COLUMN")
        .in(group);
    list.add("--limit", options_.table.limit, "Rows per table, 0 = all")
        .takes("COUNT")
        .shows_default()
        .in(group);
    list.add("--format", format_, "The form of the result; --json means --format json")
        .one_of({"text", "json", "csv", "md", "tsv"})
        .takes("FORM")
        .shows_default()
        .in(group);
  }
  int run(Session& session) override {
    const auto form = session.common.json ? show::TableForm::json : *show::table_form(format_);
    if (auto good = settle(); !good) return session.fail(good.error());
    after_.resync = before_.resync;
    if (before_.file == "-" && after_.file == "-")
      return session.fail_usage("only one of the traces can be standard input");
    Input before(before_);
    Input after(after_);
    auto first = read(session, before);
    if (!first) return session.fail(first.error(), before.name());
    auto second = read(session, after);
    if (!second) return session.fail(second.error(), after.name());
    const auto difference = analysis::compare(*first->side, *second->side, options_);
    const DiffResult result{{before, first->opened, first->passed},
                            {after, second->opened, second->passed},
                            options_,
                            difference,
                            analysis::scale_of(*first->side, *second->side, options_.per),
                            over_};
    if (form != show::TableForm::text) session.out().expect_no_styles();
    append_diff(session.out().text(), result, form, session.look());
    const int one = conclude(session, before, first->passed);
    const int other = conclude(session, after, second->passed);
    if (one != 0 || other != 0) return one != 0 ? one : other;
    return result.failed() ? kCheckFailed : 0;
  }

 private:
  base::result<void> settle() {
    options_.per = per_what(per_);
    options_.exact_names = exact_names_;
    const auto threshold = parse_share("--threshold", threshold_);
    if (!threshold) return base::Unexpected(threshold.error());
    options_.threshold = *threshold;
    if (!fail_over_.empty()) {
      const auto over = parse_share("--fail-over", fail_over_);
      if (!over) return base::Unexpected(over.error());
      over_ = *over;
    }
    if (weight_.empty()) return {};
    options_.weight = analysis::find_weight(weight_);
    if (options_.weight != nullptr) return {};
    return base::fail(base::Code::usage, fmt::format("no weight \"{}\"{}", weight_,
                                                     did_you_mean(weight_, weight_keys())));
  }
  base::result<Read> read(const Session& session, Input& input) const {
    const auto selection = make_selection(session, input, selection_);
    if (!selection) return base::Unexpected(selection.error());
    auto opened = input.open();
    if (!opened) return base::Unexpected(opened.error());
    auto side = std::make_unique<DiffSide>(*selection, options_.weight);
    const Passed passed = pass(session, input, *opened->reader, *side);
    side->finish();
    return Read{std::move(*opened), passed, std::move(side)};
  }

  InputOptions before_;
  InputOptions after_;
  SelectionOptions selection_;
  analysis::DiffOptions options_;
  std::string per_ = "nothing";
  std::string weight_;
  bool exact_names_ = false;
  std::string threshold_ = "1%";
  std::string fail_over_;
  std::optional<double> over_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_diff() { return std::make_unique<Diff>(); }

}  // namespace polytrace::cli
