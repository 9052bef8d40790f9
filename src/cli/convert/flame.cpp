// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "cli/convert/export_view.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/options/trace_options.hpp"
#include "exports/target.hpp"

namespace polytrace::cli {
namespace {

class Flame final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "flame",
        "a flame graph that any browser opens, offline",
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
    list.add("--base", base_.file, "Compare with this trace, which is how it was before")
        .takes("FILE")
        .in("Input");
    list.add("--exact-names", exact_names_,
             "With --base: only names that are equal letter by letter are one")
        .in("Input");
    add_selection_options(list, selection_,
                          "Only stacks with a method in them whose name contains this");
    add_subtract_option(list, selection_);
    add_profile_options(list, profile_);
    const char* group = "Output";
    list.add("--by-thread", by_thread_, "Threads below one another instead of all together")
        .in(group);
    list.add("--svg", svg_, "A picture instead of a page").in(group);
    list.add("--folded", folded_, "Collapsed stacks instead of a page").in(group);
    list.add("-o,--output", output_,
             "The file to write (default: FILE's name with .flame.html); - is standard output")
        .takes("FILE")
        .in(group);
    list.add("-f,--force", force_, "Replace an existing file").in(group);
  }
  int run(Session& session) override {
    if (svg_ + folded_ + by_thread_ > 1)
      return session.fail_usage("--svg, --folded and --by-thread exclude each other");
    if (by_thread_ && !base_.file.empty())
      return session.fail_usage("threads of two traces are not compared: leave out --by-thread");
    service::Input input(input_, session.asking());
    auto request = service::make_request(input, selection_, profile_);
    if (!request) return session.fail(request.error(), input.name());
    std::optional<analysis::Profile> before;
    if (!base_.file.empty()) {
      service::Input base(base_, session.asking());
      auto profile = service::read_profile(base, selection_, *request);
      if (!profile) return session.refuse(profile.error());
      tell_notices(session, base.name(), profile->passed.notices);
      before = std::move(profile->profile);
      request->weight = before->weight;
    }
    service::ExportRun exports(input, *request);
    if (before) exports.compare_with(std::move(*before), exact_names_);
    const std::string file = output_file();
    if (auto opened = exports.add(target(), file, force_); !opened)
      return session.fail(opened.error(), file);
    return tell_export(session, exports.run());
  }

 private:
  const exports::Target& target() const {
    if (svg_) return exports::flame_picture();
    if (folded_) return *exports::find_target("folded");
    return by_thread_ ? exports::flame_page_by_thread() : exports::flame_page();
  }
  std::string output_file() const {
    if (!output_.empty()) return output_;
    if (input_.file == "-") return "-";
    return std::filesystem::path(input_.file).filename().string() + std::string(target().suffix);
  }

  service::InputOptions input_;
  service::InputOptions base_;
  service::SelectionOptions selection_;
  service::ProfileOptions profile_;
  bool exact_names_ = false;
  std::string output_;
  bool by_thread_ = false;
  bool svg_ = false;
  bool folded_ = false;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_flame() { return std::make_unique<Flame>(); }

}  // namespace polytrace::cli
