// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/codes.hpp"
#include "cli/convert/export_view.hpp"
#include "cli/options/trace_options.hpp"

namespace polytrace::cli {
namespace {

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
    for (const sql::TableTarget& target : sql::table_targets())
      text += fmt::format("\n\n{}: {} ({}), for {}", target.name, target.title,
                          target.is_folder ? "a folder" : target.suffix, target.readers);
    return text;
  }();
  return kText;
}

std::vector<std::string> all_targets() {
  std::vector<std::string> names = service::target_names();
  for (const sql::TableTarget& target : sql::table_targets()) names.emplace_back(target.name);
  return names;
}

class Export final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "export",
        "[OPTIONS] --to TARGET[,TARGET...] FILE -o OUTPUT",
        description(),
        {{"where time goes, as collapsed stacks",
          "polytrace export --to folded app.mlpd -o app.folded"},
         {"allocated bytes of the second half",
          "polytrace export --to folded --weight bytes --from 50% app.mlpd -o app.folded"},
         {"the calls one after the other, for speedscope or Perfetto",
          "polytrace export --to chrome app.mlpd -o app.json"},
         {"the first heap snapshot, for VisualVM",
          "polytrace export --to hprof --snapshot 0 app.mlpd -o app.hprof"},
         {"calls and allocations as tables of SQLite",
          "polytrace export --to sqlite --tables slice,alloc,method app.mlpd -o app.sqlite"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "docs/exports.md, polytrace help times"};
    return kHelp;
  }
  void define(OptionList& list) override {
    add_input_options(list, input_, Following::not_offered);
    add_index_options(list, input_.index, Traces::one);
    question_.selection.to_option = "--until";
    add_selection_options(
        list, question_.selection,
        "Of profiles, only stacks with a method in them whose name contains this");
    add_subtract_option(list, question_.selection);
    add_profile_options(list, question_.profile);
    list.add("--snapshot", question_.snapshot,
             "Of heap snapshots this one, counted from 0; else the last complete one")
        .takes("NUMBER")
        .in("Selection");
    list.add("--tables", tables_,
             "Of csv, sqlite, arrow and parquet: only these tables (default: all that have rows of "
             "their own)")
        .takes("TABLE[,TABLE...]")
        .in("Selection");
    const char* group = "Output";
    list.add("--to", question_.targets,
             fmt::format("What to write: {}", fmt::join(all_targets(), ", ")))
        .takes("TARGET[,TARGET...]")
        .suggests(all_targets())
        .required()
        .in(group);
    list.add("-o,--output", question_.output, "The file to write; - is standard output")
        .takes("FILE")
        .required()
        .in(group);
    list.add("-f,--force", question_.force, "Replace existing files").in(group);
  }
  int run(Session& session) override {
    service::Input input(input_, session.asking());
    if (const auto* const target = sql::find_table_target(question_.targets))
      return write_tables(session, input, *target);
    if (!tables_.empty())
      return session.fail(
          {base::Code::usage, {}, "--tables is for --to csv, sqlite, arrow and parquet"});
    return tell_export(session, service::export_trace(input, question_));
  }

 private:
  // Tables are whole.
  bool selects() const {
    const service::SelectionOptions& of = question_.selection;
    const std::string* const words[]{&of.from,
                                     &of.to,
                                     &of.thread,
                                     &of.name,
                                     &of.subtract,
                                     &question_.snapshot,
                                     &question_.profile.weight,
                                     &question_.profile.limit};
    return std::ranges::any_of(words, [](const std::string* word) { return !word->empty(); });
  }
  int write_tables(Session& session, const service::Input& input,
                   const sql::TableTarget& target) const {
    if (selects())
      return session.fail({base::Code::usage, {}, "tables are whole: --tables chooses among them"});
    return tell_table_export(
        session,
        service::export_tables(input, target, {tables_, question_.output, question_.force}));
  }

  service::InputOptions input_;
  service::ExportQuestion question_;
  std::string tables_;
};

}  // namespace

std::unique_ptr<Command> make_export() { return std::make_unique<Export>(); }

}  // namespace polytrace::cli
