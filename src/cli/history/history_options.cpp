// SPDX-License-Identifier: Apache-2.0
#include "cli/history/history_options.hpp"

#include "cli/frame/notices_view.hpp"

namespace polytrace::cli {

void add_history_folder(OptionList& list, std::string& folder) {
  list.add("DIR", folder, "The folder of the history").takes("FILE").required().in("Input");
}

void add_history(OptionList& list, service::HistorySource& source) {
  list.add("DIR", source.path,
           "The folder of a history, or a .tar or .zip of one, or its history.bin")
      .takes("FILE")
      .required()
      .in("Input");
  list.add("--mixed", source.mixed, "Go on where types.json or tree.json belong to another history")
      .in("Input");
}

base::result<service::OpenHistory> open_history(const Session& session,
                                                const service::HistorySource& source) {
  auto opened = service::open_history(source);
  if (opened) tell_notices(session, source.path, opened->history.notices().sorted());
  return opened;
}

void add_keys(OptionList& list, service::KeyOptions& options) {
  list.add("--path", options.paths,
           "Only timelines at this path; * stands for any part of a name, ** for any "
           "levels (may be given again)")
      .takes("PATH")
      .in("Selection");
  list.add("--key", options.keys, "Only the timeline of this number (may be given again)")
      .takes("KEY")
      .in("Selection");
}

void add_form(OptionList& list, std::string& form) {
  list.add("--format", form, "The form of the result; --json means --format json")
      .one_of(table_form_words())
      .takes("FORM")
      .shows_default()
      .in("Output");
}

TableForm form_of(const Session& session, const std::string& form) {
  return session.common.json ? TableForm::json : table_form(form);
}

void add_history_output(OptionList& list, HistoryOutput& options, bool layouts) {
  list.add("-o,--output", options.folder, "The folder to write; made where it is missing")
      .takes("DIR")
      .required()
      .in("Output");
  if (layouts)
    list.add("--layout", options.layout,
             "segmented (indexed, small) or stream (plain records, for other tools)")
        .takes("LAYOUT")
        .one_of({"segmented", "stream"})
        .shows_default()
        .in("Output");
  list.add("-f,--force", options.force, "Replace existing files").in("Output");
}

service::HistoryTarget HistoryOutput::target() const {
  using history::Layout;
  return {folder, layout == "stream" ? Layout::stream : Layout::segmented, force};
}

int tell_made(Session& session, const std::string& input, const std::string& folder,
              const service::MadeHistory& made) {
  if (session.common.json) session.out().text() += service::history_made_json(folder, made);
  else tell_notices(session, input, made.notices.sorted());
  return made.notices.exit_code();
}

}  // namespace polytrace::cli
