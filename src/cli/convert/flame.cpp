// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/export_view.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/options/trace_options.hpp"

namespace polytrace::cli {
namespace {

class Flame final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "flame",
        "[OPTIONS] FILE [-o OUTPUT]",
        "Writes one HTML page with all it needs: flame and icicle, left-heavy, inverted, callers "
        "and callees of one method (sandwich), search with its share of the total, a dark and a "
        "light theme, keys for everything (?), and a link to every view in its address.\n\n"
        "What is too light for a page of some megabytes is cut; how much, the page shows where it "
        "was. With --base the frames are blue where they became less and orange where they became "
        "more.",
        {{"where time goes: writes app.mlpd.flame.html", "polytrace flame app.mlpd"},
         {"what allocates, thread by thread",
          "polytrace flame --weight bytes --by-thread app.mlpd -o bytes.html"},
         {"what became slower", "polytrace flame --base old.mlpd new.mlpd -o slower.html"},
         {"a picture for a document", "polytrace flame --svg app.mlpd -o app.svg"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "docs/exports.md, polytrace help times"};
    return kHelp;
  }
  void define(OptionList& list) override {
    add_input_options(list, input_, Following::not_offered);
    add_index_options(list, input_.index, Traces::one);
    list.add("--base", question_.base, "Compare with this trace, which is how it was before")
        .takes("FILE")
        .in("Input");
    list.add("--exact-names", question_.exact_names,
             "With --base: only names that are equal letter by letter are one")
        .in("Input");
    add_selection_options(list, question_.selection,
                          "Only stacks with a method in them whose name contains this");
    add_subtract_option(list, question_.selection);
    add_profile_options(list, question_.profile);
    const char* group = "Output";
    list.add("--by-thread", by_thread_, "Threads below one another instead of all together")
        .in(group);
    list.add("--svg", svg_, "A picture instead of a page").in(group);
    list.add("--folded", folded_, "Collapsed stacks instead of a page").in(group);
    list.add("-o,--output", question_.output,
             "The file to write (default: FILE's name with .flame.html); - is standard output")
        .takes("FILE")
        .in(group);
    list.add("-f,--force", question_.force, "Replace an existing file").in(group);
  }
  int run(Session& session) override {
    if (svg_ + folded_ + by_thread_ > 1)
      return session.fail_usage("--svg, --folded and --by-thread exclude each other");
    using Form = service::FlameQuestion::Form;
    if (svg_) question_.form = Form::picture;
    if (folded_) question_.form = Form::folded;
    if (by_thread_) question_.form = Form::page_by_thread;
    service::Input input(input_, session.asking());
    const service::FlameAnswer answer = service::export_flame(input, question_);
    if (answer.before) tell_notices(session, *answer.before);
    return tell_export(session, answer.made);
  }

 private:
  service::InputOptions input_;
  service::FlameQuestion question_;
  bool by_thread_ = false;
  bool svg_ = false;
  bool folded_ = false;
};

}  // namespace

std::unique_ptr<Command> make_flame() { return std::make_unique<Flame>(); }

}  // namespace polytrace::cli
