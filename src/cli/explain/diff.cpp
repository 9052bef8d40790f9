// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/diff/topics.hpp"
#include "base/codes.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/options/table_output.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/show/text_room.hpp"
#include "service/ask/diff.hpp"
#include "service/convert/export_run.hpp"
#include "service/words/numbers.hpp"
#include "service/words/words.hpp"

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

std::string names_of(const std::vector<service::Reading>& side) {
  std::string names;
  for (const service::Reading& reading : side)
    names += (names.empty() ? "" : ", ") + printable(reading.origin.file);
  return names;
}

std::string diff_title(const service::DiffAnswer& answer) {
  return fmt::format("From {} to {}", names_of(answer.before), names_of(answer.after));
}

// A line each, the largest first, `most` of them; `say` adds to what changed.
template <class Say>
std::vector<std::string> lines_of(const std::vector<analysis::Change>& changes, std::size_t most,
                                  const Say& say) {
  std::vector<std::string> lines;
  for (const analysis::Change& change : changes) {
    if (lines.size() == most) break;
    lines.push_back(printable(change.text) + say(change));
  }
  return lines;
}

// What failed, or where nothing may, what changed.
std::vector<std::string> verdict_lines(const service::DiffAnswer& answer) {
  constexpr std::size_t kMostFailures = 10, kMostChanges = 5;
  const auto& difference = answer.difference;
  std::vector<std::string> lines;
  if (answer.fail_over) {
    const auto& failures = answer.failures;
    lines = lines_of(failures, kMostFailures, [&](const analysis::Change& change) {
      return fmt::format(" (+{:.1f} % of all, more than {:.3g} %)", 100 * change.share,
                         100 * *answer.fail_over);
    });
    if (failures.empty())
      lines.push_back(fmt::format("Nothing grew by more than {:.3g} %.", 100 * *answer.fail_over));
    if (failures.size() > kMostFailures)
      lines.push_back(
          fmt::format("{} more grew by more than that.", failures.size() - kMostFailures));
  } else {
    lines = lines_of(difference.changes, kMostChanges, [](const analysis::Change& change) {
      return fmt::format(" ({:+.1f} % of all)", 100 * change.share);
    });
    if (difference.changes.size() > kMostChanges)
      lines.push_back(
          fmt::format("{} more changed, see below.", difference.changes.size() - kMostChanges));
    if (difference.changes.empty())
      lines.emplace_back(difference.times_are_judged ? "Nothing changed but by chance."
                                                     : "Nothing changed that can be counted.");
  }
  if (!difference.times_are_judged)
    lines.push_back(
        fmt::format("Times are not judged: that takes {0} runs of each side (polytrace diff "
                    "A1 A2 A3 -- B1 B2 B3).",
                    analysis::kRunsForTimes));
  return lines;
}

void append_diff_text(std::string& out, const service::DiffAnswer& answer, const Look& look) {
  out += paint(look.terminal, Style::heading, diff_title(answer)) + '\n';
  const auto verdict = verdict_lines(answer);
  if (!verdict.empty()) out += '\n';
  for (const std::string& line : verdict) append_paragraph(out, line, look.terminal);
  const std::size_t before = out.size();
  for (const analysis::Table& table : answer.difference.tables) append_text(out, table, look);
  if (out.size() == before) out += "\n  The traces have nothing that could be compared.\n";
  for (const auto* side : {&answer.before, &answer.after})
    for (const service::Reading& reading : *side) append_notices_text(out, reading.passed, look);
}

void append_diff_markdown(std::string& out, const service::DiffAnswer& answer, const Look& look) {
  out += fmt::format("# {}\n", markdown_text(diff_title(answer)));
  for (const std::string& line : verdict_lines(answer)) out += "\n" + markdown_text(line) + "\n";
  for (const analysis::Table& table : answer.difference.tables) append_markdown(out, table, look);
  for (const auto* side : {&answer.before, &answer.after})
    for (const service::Reading& reading : *side) append_notices_markdown(out, reading.passed);
}

void append_diff(std::string& out, const service::DiffAnswer& answer, TableForm form,
                 const Look& look) {
  switch (form) {
    case TableForm::text: return append_diff_text(out, answer, look);
    case TableForm::markdown: return append_diff_markdown(out, answer, look);
    case TableForm::json: out += diff_json(answer); return;
    case TableForm::json_lines:
    case TableForm::csv:
    case TableForm::tsv: return append_rows(out, answer.difference.tables, form);
  }
}

class Diff final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "diff",
        "[OPTIONS] BEFORE AFTER | BEFORE... -- AFTER...",
        "Compares methods, call tree, allocations, collections, locks, exceptions and heap of two "
        "traces, of any formats and runtimes, by name; and says which suspects are new and which "
        "are gone. With -- there are several runs of each: then figures are averages, and what "
        "runs of one program differ by is known. What changed most is said first.\n\n"
        "Names are compared by one spelling: com.acme.Shop.main, Acme.Shop:Main (string[]) and "
        "Acme.Shop::Main are the same method. Calls, objects and exceptions are counts, and "
        "compared as they are. Times, waits and collections are judged with three runs of each "
        "side or "
        "more; a change that may be chance is called noise. Time of a method is the CPU time of "
        "its own where all runs tell that, else its own time without known waits.\n\n"
        "With --fail-over the exit code is 5 when a figure grew by more than that part of its "
        "table's whole; noise does not count, nor do times that are not judged.",
        {{"before and after a change", "polytrace diff before.ptrace after.ptrace"},
         {"the same as a flame graph", "polytrace flame --base before.ptrace after.ptrace"},
         {"the second one ran for longer", "polytrace diff --per time before.mlpd after.mlpd"},
         {"three runs of each",
          "polytrace diff a1.mlpd a2.mlpd a3.mlpd -- b1.mlpd b2.mlpd b3.mlpd"},
         {"in CI", "polytrace diff --fail-over 5% --fail-on methods,calls main.mlpd branch.mlpd"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "docs/analyses.md, docs/reference/json.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {.pager = true}; }
  void define(OptionList& list) override {
    list.add("TRACE", question_.before,
             "The two traces, - is standard input; or all runs before, behind -- all after")
        .takes("FILE...")
        .required()
        .in("Input");
    list.take_behind_dashes(question_.after);
    add_reading_options(list, question_.reading, Following::not_offered);
    add_index_options(list, question_.reading.index, Traces::several);
    add_selection_options(list, question_.selection, "Only rows whose name contains this");
    add_subtract_option(list, question_.selection);
    const char* group = "Comparison";
    list.add("--per", per_, "Scale the second trace's figures to the first one's time or calls")
        .one_of({"nothing", "time", "calls"})
        .takes("WHAT")
        .shows_default()
        .in(group);
    list.add("--weight", weight_, "What the call tree compares (time, calls, bytes, samples ...)")
        .takes("WEIGHT")
        .suggests(service::weight_keys())
        .in(group);
    list.add("--exact-names", question_.options.exact_names,
             "Only names that are equal letter by letter are one")
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
    question_.options.table = output_.options();
    if (auto good = settle(); !good) return session.fail(good.error());
    auto answer = service::ask_diff(question_, session.asking());
    if (!answer) return session.refuse(answer.error());
    auto& tables = answer->difference.tables;
    if (auto good = output_.apply(tables); !good) return session.fail(good.error());
    if (output_.goes_to_folder()) {
      if (auto done = output_.write(session, tables); !done) return session.fail(done.error());
    } else {
      if (form == TableForm::text) session.page();
      else session.out().expect_no_styles();
      append_diff(session.out().text(), *answer, form, session.look());
    }
    int worst = 0;
    for (const auto* side : {&answer->before, &answer->after})
      for (const service::Reading& reading : *side)
        if (const int code = conclude(session, reading); worst == 0) worst = code;
    return worst != 0 ? worst : answer->failures.empty() ? 0 : kCheckFailed;
  }

 private:
  base::result<void> settle() {
    if (question_.after.empty() && question_.before.size() == 2) {
      question_.after = {question_.before.back()};
      question_.before.pop_back();
    }
    if (question_.after.empty())
      return base::fail(base::Code::usage,
                        "two traces are compared; of several runs, -- stands between those before "
                        "and those after");
    if (std::ranges::count(question_.before, "-") + std::ranges::count(question_.after, "-") > 1)
      return base::fail(base::Code::usage, "only one of the traces can be standard input");
    if (auto good = settle_topics(); !good) return good;
    question_.options.per = per_what(per_);
    const auto threshold = parse_share("--threshold", threshold_);
    if (!threshold) return base::Unexpected(threshold.error());
    question_.options.threshold = *threshold;
    if (!fail_over_.empty()) {
      const auto over = parse_share("--fail-over", fail_over_);
      if (!over) return base::Unexpected(over.error());
      question_.fail_over = *over;
    }
    if (weight_.empty()) return {};
    question_.weight = analysis::find_weight(weight_);
    if (question_.weight != nullptr) return {};
    return base::fail(base::Code::usage,
                      fmt::format("no weight \"{}\"{}", weight_,
                                  service::did_you_mean(weight_, service::weight_keys())));
  }
  base::result<void> settle_topics() {
    const std::vector<std::string> known = topic_words();
    for (const std::string_view word : service::listed(fail_on_)) {
      if (std::ranges::find(known, word) == known.end())
        return base::fail(base::Code::usage,
                          fmt::format("--fail-on: no \"{}\"{} (there are {})", word,
                                      service::did_you_mean(word, known), fmt::join(known, ", ")));
      question_.fail_on.emplace_back(word);
    }
    const auto can_fail = [&](const analysis::DiffTopic& topic) {
      return analysis::can_judge(question_.before.size(), question_.after.size(), topic.chance) &&
             std::ranges::find(question_.fail_on, topic.word) != question_.fail_on.end();
    };
    if (question_.fail_on.empty() || std::ranges::any_of(analysis::kDiffTopics, can_fail))
      return {};
    return base::fail(
        base::Code::usage,
        fmt::format("--fail-on {}: that takes {} runs of each side (A1 A2 A3 -- B1 B2 B3)",
                    fail_on_, analysis::kRunsForTimes));
  }

  service::DiffQuestion question_;
  std::string per_ = "nothing";
  std::string weight_;
  std::string threshold_ = "1%";
  std::string fail_over_;
  std::string fail_on_;
  TableOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_diff() { return std::make_unique<Diff>(); }

}  // namespace polytrace::cli
