// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "analysis/analysis.hpp"
#include "analysis/heap/graph/weak.hpp"
#include "analysis/heap/questions.hpp"
#include "analysis/heap/tables.hpp"
#include "cli/explain/heap_growth.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/explain/report_view.hpp"
#include "cli/frame/commands.hpp"
#include "service/words/numbers.hpp"
#include "cli/frame/command_line.hpp"
#include "cli/show/escape.hpp"
#include "exports/snapshots/heap_dump.hpp"

namespace polytrace::cli {
namespace {

using analysis::HeapGraph;
using analysis::HeapStudy;
using analysis::HeapView;
using analysis::Table;
using base::Code;

struct Questions {
  bool classes = false;
  std::string growth;
  std::string referrers;
  std::string path;
  bool dominators = false;
  bool suspects = false;
  bool unreachable = false;

  int asked() const {
    return int{classes} + int{!growth.empty()} + int{!referrers.empty()} + int{!path.empty()} +
           int{dominators} + int{suspects} + int{unreachable};
  }
};

// The answers out of a study that has read everything. `file`: for commands to ask next.
class Answers {
 public:
  using ReadAgain = std::function<void(event::Consumer&)>;

  Answers(const HeapStudy& study, const analysis::TableOptions& options, std::string file,
          ReadAgain read_again)
      : study_(study),
        options_(options),
        file_(std::move(file)),
        read_again_(std::move(read_again)),
        dominators_(analysis::Dominators::of(study.graph())),
        fields_(study.fields(), study.names(), study.chosen().value_or(0)),
        view_{study.graph(), dominators_, study.names(), &fields_} {}

  const HeapView& view() const { return view_; }
  base::result<std::vector<Table>> of(const Questions& questions) {
    if (questions.classes) tables_.push_back(class_table(view_, options_));
    if (questions.dominators) tables_.push_back(dominator_table(view_, options_));
    if (questions.suspects) add_suspects(options_);
    if (questions.unreachable) tables_.push_back(unreachable_table(view_, options_));
    base::result<void> done;
    if (!questions.referrers.empty()) done = referrers(questions.referrers);
    if (!questions.path.empty()) done = path(questions.path);
    if (!done) return base::Unexpected(done.error());
    if (questions.asked() == 0) summary();
    return std::move(tables_);
  }

 private:
  // Asked again once the fields are known that the answer is made of.
  template <class Ask>
  Table with_fields(const Ask& ask) {
    Table table = ask();
    if (!fields_.wants_pass()) return table;
    read_again_(fields_);
    return ask();
  }
  void add_suspects(const analysis::TableOptions& options) {
    Table table = with_fields([&] { return suspect_table(view_, study_.snapshots(), options); });
    if (table.rows.empty() && dominators_.reached_objects() != 0) {
      table.rows.push_back({std::string("(none)"), analysis::Cell{}, analysis::Cell{},
                            analysis::Cell{},
                            std::string("no object, class or growth makes up a tenth of it")});
    }
    tables_.push_back(std::move(table));
  }
  void summary() {
    constexpr std::uint64_t kMostSuspects = 5;
    add_suspects({"", options_.limit == 0 ? 0 : kMostSuspects});
    tables_.push_back(class_table(view_, options_));
    tables_.push_back(snapshot_table(study_.snapshots(), options_));
    Table& list = tables_.back();
    const auto left = study_.graph().objects() - dominators_.reached_objects();
    if (left == 0) return;
    const auto weakly =
        std::ranges::count(analysis::reached_only_weakly(study_.graph(), dominators_), true);
    list.notes.push_back(fmt::format(
        "No root of snapshot {} reaches {} of its objects{} (--unreachable).",
        study_.chosen().value_or(0), left,
        weakly == 0 ? "" : fmt::format(", {} of them only by weak references", weakly)));
  }
  base::result<HeapGraph::Index> object(std::string_view text) const {
    const HeapGraph::Index found = view_.find(text);
    if (found == HeapGraph::kNone)
      return base::fail(Code::usage, fmt::format("snapshot {} has no object and no class \"{}\"",
                                                 study_.chosen().value_or(0), text));
    return found;
  }
  // By its id, or as the class that it is itself: not by the class of it.
  bool names_object(std::string_view text, HeapGraph::Index found) const {
    return text.starts_with("0x") ||
           (text.starts_with("class ") && view_.class_name(found) == text);
  }
  base::result<void> referrers(std::string_view text) {
    const auto found = object(text);
    if (!found) return base::Unexpected(found.error());
    tables_.push_back(
        names_object(text, *found)
            ? object_referrers(view_, *found, options_)
            : class_referrers(view_, study_.names().class_name(view_.type(*found)), options_));
    note_others(text, *found, "--referrers");
    return {};
  }
  base::result<void> path(std::string_view text) {
    const auto found = object(text);
    if (!found) return base::Unexpected(found.error());
    tables_.push_back(with_fields([&] { return path_table(view_, *found, options_); }));
    note_others(text, *found, "--path");
    return {};
  }
  // A part of several names: which of them was meant, and how to ask for another.
  void note_others(std::string_view text, HeapGraph::Index found, std::string_view question) {
    constexpr std::size_t kMostNames = 5;
    const std::string taken = study_.names().class_name(view_.type(found));
    if (names_object(text, found) || taken == text) return;
    std::vector<std::string> others = view_.classes_with(text);
    std::erase(others, taken);
    if (others.empty()) return;
    const std::size_t left = others.size() - std::min(others.size(), kMostNames);
    others.resize(others.size() - left);
    tables_.back().notes.push_back(fmt::format(
        "No class is named \"{}\"; taken for {}. Others with it: {}{}. {} heap {} {} {}", text,
        taken, fmt::join(others, ", "), left == 0 ? "" : fmt::format(" and {} more", left),
        own_command(), question, shell_quoted(others.front()), as_operand(file_)));
  }

  const HeapStudy& study_;
  const analysis::TableOptions& options_;
  std::string file_;
  ReadAgain read_again_;
  analysis::Dominators dominators_;
  analysis::ReferenceFields fields_;
  HeapView view_;
  std::vector<Table> tables_;
};

class HeapCommand final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "heap",
        "what fills the heap, and what keeps it alive?",
        "[OPTIONS] FILE | BEFORE AFTER",
        "Reads the heap snapshots of a recording or a heap dump. Without a question: what may "
        "leak and why, the classes by what their objects retain, the snapshots.\n\n"
        "What an object retains is its own size and that of everything which only it keeps alive. "
        "The questions are about the last complete snapshot; --snapshot names another. CLASS is a "
        "name or a part of one, OBJECT an id as the tables show it.\n\n"
        "Of two files it says what became more from the first one's last complete snapshot to that "
        "of the second, by the names of the classes.",
        {{"what leaks?", "polytrace heap app.hprof"},
         {"why is this alive?", "polytrace heap --path com.acme.Session app.hprof"},
         {"what came from the first snapshot to the fourth",
          "polytrace heap --growth 0,3 app.mlpd"},
         {"what came between two dumps", "polytrace heap before.hprof after.hprof"},
         {"who refers to it", "polytrace heap --referrers com.acme.Session app.hprof"},
         {"look at it in VisualVM", "polytrace heap --hprof app.hprof app.mlpd"},
         {"all classes, for a spreadsheet",
          "polytrace heap --classes --limit 0 --format csv app.ptrace"}},
        {0, 1, 2, 3, 4, 6, 130},
        "docs/heap.md, docs/reference/json.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {.pager = true}; }
  void define(OptionList& list) override {
    list.add("FILE", files_, "The trace or heap dump, - is standard input; or two to compare")
        .takes("FILE...")
        .required()
        .at_most(2)
        .in("Input");
    add_reading_options(list, input_, Following::not_offered);
    list.add("--strict", input_.strict, "Stop at the first problem").in("Input");
    const char* group = "Questions";
    list.add("--classes", questions_.classes, "Classes by what their objects retain").in(group);
    list.add("--dominators", questions_.dominators, "The objects that retain most").in(group);
    list.add("--suspects", questions_.suspects, "What may leak, and why").in(group);
    list.add(
            "--growth", questions_.growth,
            "What became more from one snapshot to another, by class and by the place that made it")
        .takes("FROM,TO")
        .in(group);
    list.add("--referrers", questions_.referrers, "Who refers to a class's objects, or to one")
        .takes("CLASS|OBJECT")
        .in(group);
    list.add("--path", questions_.path,
             "How a root reaches an object, or the one of a class that retains most")
        .takes("CLASS|OBJECT")
        .in(group);
    list.add("--unreachable", questions_.unreachable, "What no root reaches, by class").in(group);
    list.add("--snapshot", snapshot_,
             "Of this snapshot, counted from 0; else the last complete one")
        .takes("NUMBER")
        .in(group);
    list.add("--soft-is-weak", soft_is_weak_, "Soft references keep nothing alive either")
        .in(group);
    define_output(list);
  }
  int run(Session& session) override {
    if (auto good = output_.check(session); !good) return session.fail(good.error());
    const auto wanted = service::parse_number<std::uint64_t>(snapshot_);
    if (questions_.asked() > 1) return session.fail_usage("ask one question at a time");
    if (!snapshot_.empty() && !wanted) return session.fail_usage("--snapshot takes a number");
    if (files_.size() == 2 || !questions_.growth.empty()) return run_growth(session);
    input_.file = files_.front();
    Input input(input_);
    auto opened = input.open();
    if (!opened) return session.fail(opened.error(), input.name());
    HeapStudy study(wanted, keeps());
    const Passed passed = pass(session, input, *opened->reader, study);
    study.finish();
    const bool has_none = study.snapshots().empty() && !passed.is_partial();
    if (!study.chosen() && (wanted || has_none || !dump_.empty()))
      return session.fail(exports::find_snapshot(study, wanted).error(), input.name());
    const analysis::TableOptions options = output_.options();
    Answers answers(study, options, input.name(),
                    [&](event::Consumer& consumer) { read_again(session, input, consumer); });
    if (!dump_.empty()) {
      if (keeps_old(passed, dump_)) {
        session.remark(fmt::format("{}: NOT written", printable(dump_)));
        return conclude(session, input, passed);
      }
      if (auto done = write_dump(answers.view()); !done) return session.fail(done.error(), dump_);
      return conclude(session, input, passed);
    }
    auto tables = answers.of(questions_);
    if (!tables) return session.fail(tables.error(), input.name());
    const slice::Selection everything;
    ReportResult result{
        input, *opened, passed, everything, study.names().first_time(), std::move(*tables)};
    return answer(session, std::move(result), output_);
  }

 private:
  // What the first pass did not keep; it told the faults already. A pipe is gone by then.
  static void read_again(const Session& session, const Input& input, event::Consumer& consumer) {
    std::error_code fault;
    if (!std::filesystem::is_regular_file(input.name(), fault)) return;
    if (auto opened = input.open())
      static_cast<void>(pass(session, input, *opened->reader, consumer));
  }
  int run_growth(Session& session) const {
    const bool asks_more = questions_.asked() > int{!questions_.growth.empty()};
    if (asks_more || !dump_.empty() || !snapshot_.empty())
      return session.fail_usage(
          "growth, which is all that two files are asked for, goes with no "
          "other question; --growth FROM,TO names the snapshots");
    return answer_growth(session, {files_, questions_.growth, input_, output_});
  }
  // What is written for other tools has all references: they judge themselves.
  event::RefStrength keeps() const {
    using event::RefStrength;
    if (!dump_.empty()) return RefStrength::phantom;
    return soft_is_weak_ ? RefStrength::unknown : RefStrength::soft;
  }
  base::result<void> write_dump(const HeapView& view) const {
    auto sink = base::create_sink(dump_, force_);
    if (!sink) return base::Unexpected(sink.error());
    if (auto done = exports::write_heap_dump(view, **sink); !done) return done;
    return (*sink)->commit();
  }
  void define_output(OptionList& list) {
    const char* group = "Output";
    list.add("--hprof", dump_, "Write the snapshot as a heap dump for VisualVM or Eclipse MAT")
        .takes("FILE")
        .in(group);
    list.add("--force", force_, "Replace that file if it exists").in(group);
    output_.add_to(list);
  }

  std::vector<std::string> files_;
  InputOptions input_;
  Questions questions_;
  std::string snapshot_;
  bool soft_is_weak_ = false;
  std::string dump_;
  bool force_ = false;
  TableOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_heap_command() { return std::make_unique<HeapCommand>(); }

}  // namespace polytrace::cli
