// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "analysis/diff/topics.hpp"
#include "service/convert/export_run.hpp"
#include "cli/explain/diff_view.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/options/table_output.hpp"
#include "cli/frame/commands.hpp"
#include "service/words/numbers.hpp"
#include "service/words/words.hpp"
#include "cli/select/subtract.hpp"

namespace polytrace::cli {
namespace {

using analysis::PerWhat;

// "5%" as 0.05, "0" as 0. Errors are usage.
base::result<double> parse_share(std::string_view option, std::string_view text) {
  std::string_view rest = text;
  const auto value = service::take_number<double>(rest);
  if (value && (rest == "%" || (rest.empty() && *value == 0)) && *value >= 0) return *value / 100;
  return base::fail(base::Code::usage,
                    fmt::format("{}: \"{}\" is no percentage such as 5%", option, text));
}

PerWhat per_what(std::string_view word) {
  if (word == "time") return PerWhat::time;
  return word == "calls" ? PerWhat::calls : PerWhat::nothing;
}

std::vector<std::string> topic_words() {
  std::vector<std::string> words;
  for (const analysis::DiffTopic& topic : analysis::kDiffTopics) words.emplace_back(topic.word);
  return words;
}

class Diff final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "diff",
        "what is different between two traces?",
        "[OPTIONS] BEFORE AFTER | BEFORE... -- AFTER...",
        "Compares methods, call tree, allocations, collections, locks, exceptions and heap of two "
        "traces, of any formats and runtimes, by name; and says which suspects are new and which "
        "are gone. With -- there are several runs of each: then figures are averages, and what "
        "runs of one program differ by is known.\n\n"
        "Names are compared by one spelling: com.acme.Shop.main, Acme.Shop:Main (string[]) and "
        "Acme.Shop::Main are the same method. Changes that may be chance are called noise: times, "
        "waits and samples by how runs differ, or, of single runs, by how calls do. Calls, objects "
        "and exceptions are counts, and compared as they are.\n\n"
        "With --fail-over the exit code is 5 when a figure grew by more than that part of its "
        "table's whole; noise does not count. What grew most is said first.",
        {{"before and after a change", "polytrace diff before.ptrace after.ptrace"},
         {"the same as a flame graph", "polytrace flame --base before.ptrace after.ptrace"},
         {"the second one ran for longer", "polytrace diff --per time before.mlpd after.mlpd"},
         {"several runs of each", "polytrace diff a1.mlpd a2.mlpd -- b1.mlpd b2.mlpd b3.mlpd"},
         {"in CI", "polytrace diff --fail-over 5% --fail-on methods,calls main.mlpd branch.mlpd"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "docs/analyses.md, docs/reference/json.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {.pager = true}; }
  void define(OptionList& list) override {
    list.add("TRACE", files_,
             "The two traces, - is standard input; or all runs before, behind -- all after")
        .takes("FILE...")
        .required()
        .in("Input");
    list.take_behind_dashes(files_after_);
    add_reading_options(list, reading_, Following::not_offered);
    add_selection_options(list, selection_, "Only rows whose name contains this");
    add_subtract_option(list, selection_);
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
    list.add("--fail-on", fail_on_,
             fmt::format("Only these fail: {}", fmt::join(topic_words(), ", ")))
        .takes("WHAT[,WHAT...]")
        .suggests(topic_words())
        .in(group);
    output_.add_to(list);
  }
  int run(Session& session) override {
    if (auto good = output_.check(session); !good) return session.fail(good.error());
    const TableForm form = output_.form(session);
    options_.table = output_.options();
    if (auto good = settle(); !good) return session.fail(good.error());
    DiffResult result{.options = options_, .fail_over = over_, .fail_on = failing_};
    for (auto& [files, side] :
         {std::pair(&files_, &result.before), std::pair(&files_after_, &result.after)})
      for (const std::string& file : *files)
        if (const int code = read(session, file, *side); code != 0) return code;
    result.difference = analysis::compare(result.before.runs, result.after.runs, options_);
    auto& tables = result.difference.tables;
    if (auto good = output_.apply(tables); !good) return session.fail(good.error());
    if (output_.goes_to_folder()) {
      if (auto done = output_.write(session, tables); !done) return session.fail(done.error());
    } else {
      if (form == TableForm::text) session.page();
      else session.out().expect_no_styles();
      append_diff(session.out().text(), result, form, session.look());
    }
    int worst = 0;
    for (const DiffInputs* side : {&result.before, &result.after})
      for (const DiffInput& input : side->inputs)
        if (const int code = conclude(session, *input.input, input.passed); worst == 0)
          worst = code;
    return worst != 0 ? worst : result.failed() ? kCheckFailed : 0;
  }

 private:
  base::result<void> settle() {
    if (files_after_.empty() && files_.size() == 2) {
      files_after_ = {files_.back()};
      files_.pop_back();
    }
    if (files_after_.empty())
      return base::fail(base::Code::usage,
                        "two traces are compared; of several runs, -- stands between those before "
                        "and those after");
    if (std::ranges::count(files_, "-") + std::ranges::count(files_after_, "-") > 1)
      return base::fail(base::Code::usage, "only one of the traces can be standard input");
    if (auto good = settle_topics(); !good) return good;
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
    weight_told_ = analysis::find_weight(weight_);
    if (weight_told_ != nullptr) return {};
    return base::fail(base::Code::usage, fmt::format("no weight \"{}\"{}", weight_,
                                                     service::did_you_mean(weight_, weight_keys())));
  }
  base::result<void> settle_topics() {
    const std::vector<std::string> known = topic_words();
    for (const std::string_view word : service::listed(fail_on_)) {
      if (std::ranges::find(known, word) == known.end())
        return base::fail(base::Code::usage,
                          fmt::format("--fail-on: no \"{}\"{} (there are {})", word,
                                      service::did_you_mean(word, known), fmt::join(known, ", ")));
      failing_.emplace_back(word);
    }
    return {};
  }

  // The exit code where that cannot be, else 0.
  int read(Session& session, const std::string& file, DiffInputs& side) {
    readings_.push_back(reading_);
    readings_.back().file = file;
    auto input = std::make_unique<Input>(readings_.back());
    const auto selection = make_selection(session, *input, selection_);
    if (!selection) return session.fail(selection.error(), input->name());
    auto opened = input->open();
    if (!opened) return session.fail(opened.error(), input->name());
    auto run = std::make_unique<analysis::DiffRun>(*selection, weight_told_, exact_names_);
    Passed passed = pass(session, *input, *opened->reader, *run);
    run->finish();
    passed.add_limits(run->limits());
    side.inputs.push_back(
        {std::move(input), opened->format, opened->reader->version(), std::move(passed)});
    side.runs.push_back(std::move(run));
    return 0;
  }

  std::vector<std::string> files_;
  std::vector<std::string> files_after_;
  InputOptions reading_;
  std::deque<InputOptions> readings_;  // a file each: what an Input refers to
  SelectionOptions selection_;
  analysis::DiffOptions options_;
  std::string per_ = "nothing";
  std::string weight_;
  const analysis::Weight* weight_told_ = nullptr;
  bool exact_names_ = false;
  std::string threshold_ = "1%";
  std::string fail_over_;
  std::optional<double> over_;
  std::string fail_on_;
  std::vector<std::string> failing_;
  TableOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_diff() { return std::make_unique<Diff>(); }

}  // namespace polytrace::cli
