// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/codes.hpp"
#include "cli/explain/report_view.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/show/text_room.hpp"
#include "service/ask/heap.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::cli {
namespace {

using What = service::HeapQuestion::What;

struct Questions {
  bool classes = false;
  std::string growth;
  std::string referrers;
  std::string path;
  bool dominators = false;
  bool suspects = false;
  bool unreachable = false;

  // What is asked, and about what.
  std::pair<What, std::string> first() const {
    if (classes) return {What::classes, {}};
    if (dominators) return {What::dominators, {}};
    if (suspects) return {What::suspects, {}};
    if (unreachable) return {What::unreachable, {}};
    if (!referrers.empty()) return {What::referrers, referrers};
    if (!path.empty()) return {What::path, path};
    return {What::summary, {}};
  }
  int asked() const {
    return int{classes} + int{!growth.empty()} + int{!referrers.empty()} + int{!path.empty()} +
           int{dominators} + int{suspects} + int{unreachable};
  }
};

base::result<void> parse_ends(std::string_view text, service::WantedSnapshot& from,
                              service::WantedSnapshot& to) {
  if (text.empty()) return {};
  const std::size_t comma = std::min(text.find(','), text.size());
  from = service::parse_number<std::uint64_t>(text.substr(0, comma));
  to = service::parse_number<std::uint64_t>(text.substr(std::min(comma + 1, text.size())));
  if (from && to) return {};
  return base::fail(base::Code::usage, "--growth takes two numbers of snapshots, as in 0,3");
}

class HeapCommand final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "heap",
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
    add_index_options(list, input_.index, Traces::one);
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
    const service::Input input(input_, session.asking());
    if (!dump_.file.empty()) return tell_dump(session, dump_heap(input, wanted, dump_));
    service::HeapQuestion question;
    std::tie(question.what, question.subject) = questions_.first();
    question.snapshot = wanted;
    question.soft_is_weak = soft_is_weak_;
    question.table = output_.options();
    question.rows_later = output_.streams_rows(session);
    question.ask_other = [&](const std::string& other) { return ask_other(question.what, other); };
    auto answer = service::ask_heap(input, question);
    if (!answer) return session.refuse(answer.error());
    return tell_answer(session, std::move(*answer), output_);
  }

 private:
  std::string ask_other(What what, const std::string& other) const {
    return fmt::format("{} heap {} {} {}", own_command(),
                       what == What::path ? "--path" : "--referrers", shell_quoted(other),
                       as_operand(input_.file));
  }
  int tell_dump(Session& session, const service::Asked<service::Dumped>& dumped) const {
    if (!dumped) return session.refuse(dumped.error());
    if (!dumped->written) session.remark(fmt::format("{}: NOT written", printable(dump_.file)));
    return conclude(session, dumped->reading);
  }
  int run_growth(Session& session) {
    const bool asks_more = questions_.asked() > int{!questions_.growth.empty()};
    if (asks_more || !dump_.file.empty() || !snapshot_.empty())
      return session.fail_usage(
          "growth, which is all that two files are asked for, goes with no "
          "other question; --growth FROM,TO names the snapshots");
    service::GrowthQuestion question;
    if (auto good = parse_ends(questions_.growth, question.from, question.to); !good)
      return session.fail(good.error());
    if (files_.size() > 1 && !input_.index.folder.empty())
      return session.fail_usage("--index is that of one file");
    if (files_.size() > 1) question.before = files_.front();
    question.after = files_.back();
    question.reading = input_;
    question.table = output_.options();
    auto answer = service::ask_growth(question, session.asking());
    if (answer) return tell_answer(session, std::move(*answer), output_);
    const int code = session.refuse(answer.error());
    const auto& passed = answer.error().passed;
    return passed && passed->is_partial() ? exit_code(*passed) : code;
  }
  void define_output(OptionList& list) {
    const char* group = "Output";
    list.add("--hprof", dump_.file, "Write the snapshot as a heap dump for VisualVM or Eclipse MAT")
        .takes("FILE")
        .in(group);
    list.add("--force", dump_.force, "Replace that file if it exists").in(group);
    output_.add_to(list);
  }

  std::vector<std::string> files_;
  service::InputOptions input_;
  Questions questions_;
  std::string snapshot_;
  bool soft_is_weak_ = false;
  service::DumpTarget dump_;
  TableOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_heap() { return std::make_unique<HeapCommand>(); }

}  // namespace polytrace::cli
