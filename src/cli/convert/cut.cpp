// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/convert/conversion_view.hpp"
#include "cli/options/trace_options.hpp"

namespace polytrace::cli {
namespace {

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
    add_input_file(list, input_);
    add_reading_options(list, input_, Following::not_offered);
    add_index_options(list, input_.index, Traces::one);
    add_selection_options(list, question_.selection, nullptr);
    list.add("--method", question_.method,
             "Only methods whose names contain this, as reports show them")
        .takes("TEXT")
        .in(group);
    list.add("--class", question_.in_class,
             "Only classes whose names contain this, and their methods")
        .takes("TEXT")
        .in(group);
    add_conversion_options(list, input_, target_, "--to-format");
  }
  int run(Session& session) override {
    service::Input input(input_, session.asking());
    const service::CutAnswer answer = service::cut(input, question_, target_);
    const int code = tell_conversion(session, answer.conversion, input_.strict);
    const transform::CutCounts& made = answer.made;
    if (made.entered + made.left + made.dropped != 0) session.remark(made_text(made));
    return code;
  }

 private:
  service::InputOptions input_;
  service::CutQuestion question_;
  service::TargetOptions target_;
};

}  // namespace

std::unique_ptr<Command> make_cut() { return std::make_unique<CutCommand>(); }

}  // namespace polytrace::cli
