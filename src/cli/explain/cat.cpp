// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bitset>

#include "service/json/event_json.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/frame/commands.hpp"
#include "service/words/words.hpp"
#include "service/selection/name_filter.hpp"
#include "service/selection/selection.hpp"
#include "event/merge.hpp"
#include "event/text/text.hpp"

namespace polytrace::cli {
namespace {

using event::Batch;
using event::Event;

using Kinds = std::bitset<event::kKindCount>;

struct CatOptions {
  InputOptions input;
  SelectionOptions selection;
  std::string kinds;
  std::string order = "file";
  std::uint64_t limit = 0;
  bool jsonl = false;
};

// Which events to print.
struct Choice {
  slice::Selection selection;
  Kinds kinds;
  const NameFilter* name = nullptr;

  bool takes(const Batch& batch, const Event& event) const {
    return selection.has(event.time) && kinds.test(static_cast<std::size_t>(event.kind)) &&
           is_of_thread(batch, event) && (name == nullptr || name->fits(batch, event));
  }

 private:
  // Samples are of the thread that they caught, whichever stream carries them.
  bool is_of_thread(const Batch& batch, const Event& event) const {
    return selection.threads.has(batch.thread(event)) ||
           (event.kind == event::Kind::Sample && selection.threads.has(event.id));
  }
};

class Printer final : public event::Consumer {
 public:
  Printer(Output& out, const Choice& choice, const CatOptions& options, bool json)
      : out_(out),
        choice_(choice),
        options_(options),
        lines_(json),
        json_(out.text(), base::JsonWriter::Form::one_line) {}

  bool consume(const Batch& batch) override {
    if (options_.order == "time") return whole_ = merge_.add(batch);
    for (const Event& event : batch.events) {
      if (!show(batch, event)) return false;
    }
    return options_.input.follow ? out_.flush() : out_.drain();
  }
  // What was held back to be ordered. False when not everything could be held.
  bool finish() {
    if (options_.order == "time")
      merge_.emit([this](const Batch& batch, const Event& event) {
        if (show(batch, event)) out_.drain();
      });
    return whole_;
  }

 private:
  bool show(const Batch& batch, const Event& event) {
    if (options_.limit != 0 && printed_ == options_.limit) return false;
    if (!choice_.takes(batch, event)) return true;
    ++printed_;
    if (lines_) write_event(json_, batch, event);
    else event::append_text(out_.text(), batch, event);
    out_.text() += '\n';
    return true;
  }

  Output& out_;
  const Choice& choice_;
  const CatOptions& options_;
  bool lines_;
  base::JsonWriter json_;
  event::TimeMerge merge_;
  std::uint64_t printed_ = 0;
  bool whole_ = true;
};

base::result<Kinds> parse_kinds(std::string_view list) {
  Kinds kinds;
  if (list.empty()) return kinds.set();
  std::vector<std::string> known;
  for (std::size_t i = 0; i < event::kKindCount; ++i)
    known.emplace_back(event::describe(static_cast<event::Kind>(i)).name);
  for (const std::string_view word : service::listed(list)) {
    const event::KindInfo* kind = event::find_kind(word);
    if (kind == nullptr)
      return base::fail(base::Code::usage,
                        fmt::format("no kind of event \"{}\"{}", word, service::did_you_mean(word, known)));
    kinds.set(static_cast<std::size_t>(kind->kind));
  }
  return kinds;
}

class Cat final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "cat",
        "prints the events, one a line",
        "[OPTIONS] FILE",
        "Prints events as canonical text, which is exact: it can be read back. Each line has the "
        "time in nanoseconds of the trace's clock, the thread, the kind and the fields.\n\n"
        "With --jsonl (or --json) each line is a JSON object instead. Problems of the input go to "
        "standard error.",
        {{"the first lines", "polytrace cat app.mlpd | head"},
         {"200 ms of one thread, with calls only",
          "polytrace cat --from 1.5s --to +200ms --thread Main --kind enter,leave app.mlpd"},
         {"all exceptions as JSON lines", "polytrace cat --jsonl --kind throw,clause app.mlpd"}},
        {0, 1, 2, 3, 4, 6, 130},
        "polytrace help kinds, polytrace help times, docs/reference/canonical-text.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    add_input_options(list, options_.input, Following::offered);
    add_selection_options(list, options_.selection,
                          "Only what is about a method, class or thread whose name contains this");
    list.add("--kind", options_.kinds, "Only these kinds of events (polytrace help kinds)")
        .takes("KIND[,KIND...]")
        .in("Selection");
    list.add("--limit", options_.limit, "Stop after so many events, 0 = never")
        .takes("COUNT")
        .shows_default()
        .in("Selection");
    list.add("--order", options_.order,
             "As in the file, or by time over all threads (keeps the trace in memory)")
        .one_of({"file", "time"})
        .takes("ORDER")
        .shows_default()
        .in("Output");
    list.add("--jsonl", options_.jsonl, "JSON Lines instead of canonical text").in("Output");
  }
  int run(Session& session) override {
    Input input(options_.input);
    Choice choice;
    auto names = choose_names(options_.selection);
    if (!names) return session.fail(names.error());
    NameFilter name(std::move(*names));
    if (auto ready = choose(session, input, choice, name); !ready)
      return session.fail(ready.error(), input.name());
    auto opened = input.open();
    if (!opened) return session.fail(opened.error(), input.name());
    session.out().expect_no_styles();
    Printer printer(session.out(), choice, options_, options_.jsonl || session.common.json);
    const Passed passed = pass(session, input, *opened->reader, printer);
    const bool whole = printer.finish();
    session.out().flush();
    tell_notices(session, input.name(), passed.notices);
    const int code = conclude(session, input, passed);
    if (whole) return code;
    return std::max(code, session.fail({base::Code::limit_exceeded,
                                        {},
                                        "too much for --order time: select a shorter time"},
                                       input.name()));
  }

 private:
  base::result<void> choose(const Session& session, Input& input, Choice& choice,
                            NameFilter& name) const {
    const auto kinds = parse_kinds(options_.kinds);
    if (!kinds) return base::Unexpected(kinds.error());
    choice.kinds = *kinds;
    const bool by_name = !options_.selection.name.empty();
    if (by_name || (options_.order == "time" && options_.input.follow)) {
      if (auto ready = input.prepare_passes(); !ready) return ready;
    }
    auto selection = make_selection(session, input, options_.selection);
    if (!selection) return base::Unexpected(selection.error());
    choice.selection = std::move(*selection);
    if (!by_name) return {};
    auto opened = input.open();
    if (!opened) return base::Unexpected(opened.error());
    pass(session, input, *opened->reader, name);
    choice.name = &name;
    return {};
  }

  CatOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_cat() { return std::make_unique<Cat>(); }

}  // namespace polytrace::cli
