// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "service/convert/conversion_target.hpp"
#include "service/convert/export_run.hpp"
#include "cli/frame/commands.hpp"
#include "service/words/numbers.hpp"
#include "service/words/words.hpp"
#include "cli/select/subtract.hpp"

namespace polytrace::cli {
namespace {

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const exports::Target& target : exports::targets()) names.emplace_back(target.name);
  return names;
}

base::result<std::vector<const exports::Target*>> parse_targets(std::string_view list) {
  std::vector<const exports::Target*> chosen;
  for (const std::string_view word : service::listed(list)) {
    const exports::Target* target = exports::find_target(word);
    if (target == nullptr)
      return base::fail(base::Code::usage, fmt::format("no target \"{}\"{} (there are {})", word,
                                                       service::did_you_mean(word, target_names()),
                                                       fmt::join(target_names(), ", ")));
    chosen.push_back(target);
  }
  return chosen;
}

const std::string& description() {
  static const std::string kText = [] {
    std::string text =
        "Writes FILE as a file of another tool: of the events themselves, of one weight "
        "(time, samples, bytes ...) summed up by stack, or of a heap snapshot. OUTPUT appears "
        "under its name only "
        "when it is complete. What the target does not hold is listed, kind by kind, here and in "
        "the file.\n\nWith several targets, OUTPUT is the beginning of the names: each target adds "
        "its ending. An OUTPUT that ends in .gz or .zst is compressed; - is standard output.\n\n"
        "Targets:";
    for (const exports::Target& target : exports::targets())
      text += fmt::format("\n\n{}: {} ({}), for {}", target.name, target.title, target.suffix,
                          target.readers);
    return text;
  }();
  return kText;
}

class Export final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "export",
        "writes a trace as a file of another tool",
        "[OPTIONS] --to TARGET[,TARGET...] FILE -o OUTPUT",
        description(),
        {{"where time goes, as collapsed stacks",
          "polytrace export --to folded app.mlpd -o app.folded"},
         {"allocated bytes of the second half",
          "polytrace export --to folded --weight bytes --from 50% app.mlpd -o app.folded"},
         {"the calls one after the other, for speedscope or Perfetto",
          "polytrace export --to chrome app.mlpd -o app.json"},
         {"the first heap snapshot, for VisualVM",
          "polytrace export --to hprof --snapshot 0 app.mlpd -o app.hprof"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "docs/exports.md, polytrace help times"};
    return kHelp;
  }
  void define(OptionList& list) override {
    add_input_options(list, input_, Following::not_offered);
    selection_.to_option = "--until";
    add_selection_options(
        list, selection_,
        "Of profiles, only stacks with a method in them whose name contains this");
    add_subtract_option(list, selection_);
    add_profile_options(list, profile_);
    list.add("--snapshot", snapshot_,
             "Of heap snapshots this one, counted from 0; else the last complete one")
        .takes("NUMBER")
        .in("Selection");
    const char* group = "Output";
    list.add("--to", to_, fmt::format("What to write: {}", fmt::join(target_names(), ", ")))
        .takes("TARGET[,TARGET...]")
        .suggests(target_names())
        .required()
        .in(group);
    list.add("-o,--output", output_, "The file to write; - is standard output")
        .takes("FILE")
        .required()
        .in(group);
    list.add("-f,--force", force_, "Replace existing files").in(group);
  }
  int run(Session& session) override {
    const auto targets = parse_targets(to_);
    if (!targets) return session.fail(targets.error());
    if (targets->empty()) return session.fail_usage("--to: no target");
    if (targets->size() > 1 && output_ == "-")
      return session.fail_usage("several targets do not go to one standard output");
    Input input(input_);
    const auto snapshot = service::parse_number<std::uint64_t>(snapshot_);
    if (!snapshot_.empty() && !snapshot) return session.fail_usage("--snapshot takes a number");
    if (snapshot && std::ranges::none_of(*targets, &exports::Target::snapshot))
      return session.fail_usage("--snapshot: no target of --to is a heap snapshot");
    if (std::ranges::none_of(*targets, &exports::Target::profile)) {
      if (!selection_.name.empty())
        return session.fail_usage("--name: no target of --to sums up stacks");
      if (!selection_.subtract.empty())
        return session.fail_usage("--subtract: no target of --to sums up time");
    }
    auto request = make_request(session, input, selection_, profile_);
    if (!request) return session.fail(request.error(), input.name());
    request->snapshot = snapshot;
    ExportRun exports(session, input, *request);
    for (const exports::Target* target : *targets) {
      const std::string file =
          targets->size() == 1 ? output_ : output_ + std::string(target->suffix);
      if (auto opened = exports.add(*target, file, force_); !opened)
        return session.fail(opened.error(), file);
    }
    return exports.run();
  }

 private:
  InputOptions input_;
  SelectionOptions selection_;
  ProfileOptions profile_;
  std::string snapshot_;
  std::string to_;
  std::string output_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_export() { return std::make_unique<Export>(); }

}  // namespace polytrace::cli
