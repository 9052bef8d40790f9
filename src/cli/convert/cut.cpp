// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "service/convert/conversion.hpp"
#include "cli/frame/commands.hpp"
#include "service/selection/selection.hpp"
#include "transform/cut.hpp"

namespace polytrace::cli {
namespace {

struct CutWords {
  InputOptions input;
  TargetOptions target;
  SelectionOptions selection;
  std::string method;
  std::string in_class;

  bool by_name() const { return !method.empty() || !in_class.empty(); }
};

std::string made_text(const transform::CutCounts& counts) {
  return fmt::format(
      "made to keep the calls in pairs: {} entered at the beginning, {} left at the end, {} exits "
      "without an entry dropped",
      counts.entered, counts.left, counts.dropped);
}

class CutCommand final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "cut",
        "a part of a trace: by time, thread, method or class",
        "[OPTIONS] FILE -o OUTPUT",
        "Reads FILE and writes to OUTPUT what the options select; several options select what "
        "matches all of them. Definitions of names always stay, their times moved into the "
        "part.\n\n"
        "The part is a valid trace: calls that are open where it begins are entered there, calls "
        "that go on where it ends are left there, exits of calls that nobody entered are dropped. "
        "A note behind such entries and exits says so, as far as OUTPUT's format has notes, "
        "and so does this command.\n\n"
        "--method and --class leave what is about the methods and classes whose names contain the "
        "text: their calls, what was allocated, counted or thrown of the classes, and what "
        "happened with such a method on the stack.",
        {{"the second half", "polytrace cut --from 50% app.mlpd -o half.mlpd"},
         {"200 ms of one thread",
          "polytrace cut --from 1.5s --to +200ms --thread Main app.mlpd -o slow.mlpd"},
         {"the calls of one class", "polytrace cut --class Shop.Cart app.mlpd -o cart.mlpd.gz"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "polytrace help times, docs/guide.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    const char* group = "Selection";
    add_input_file(list, words_.input);
    add_reading_options(list, words_.input, Following::not_offered);
    add_selection_options(list, words_.selection, nullptr);
    list.add("--method", words_.method,
             "Only methods whose names contain this, as reports show them")
        .takes("TEXT")
        .in(group);
    list.add("--class", words_.in_class, "Only classes whose names contain this, and their methods")
        .takes("TEXT")
        .in(group);
    add_conversion_options(list, words_.input, words_.target, "--to-format");
  }
  int run(Session& session) override {
    Input input(words_.input);
    const auto selection = make_selection(session, input, words_.selection);
    if (!selection) return session.fail(selection.error(), input.name());
    transform::Subjects subjects(words_.method, words_.in_class);
    if (words_.by_name()) {
      if (auto learned = learn(session, input, subjects); !learned)
        return session.fail(learned.error(), input.name());
    }
    const transform::CutOptions options{selection->from, selection->to, selection->threads,
                                        words_.by_name() ? &subjects : nullptr};
    return cut(session, input, options);
  }

 private:
  static base::result<void> learn(const Session& session, Input& input,
                                  transform::Subjects& subjects) {
    if (auto ready = input.prepare_passes(); !ready) return ready;
    auto opened = input.open();
    if (!opened) return base::Unexpected(opened.error());
    pass(session, input, *opened->reader, subjects);
    subjects.finish();
    return {};
  }
  int cut(Session& session, const Input& input, const transform::CutOptions& options) const {
    transform::CutCounts counts;
    Change change;
    change.before = [&](std::unique_ptr<event::Writer> writer) -> std::unique_ptr<event::Writer> {
      return std::make_unique<transform::Cut>(std::move(writer), options, counts);
    };
    const int code = convert(session, input, words_.target, change);
    if (counts.entered + counts.left + counts.dropped != 0) session.remark(made_text(counts));
    return code;
  }

  CutWords words_;
};

}  // namespace

std::unique_ptr<Command> make_cut() { return std::make_unique<CutCommand>(); }

}  // namespace polytrace::cli
