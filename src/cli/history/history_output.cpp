// SPDX-License-Identifier: Apache-2.0
#include "cli/history/history_output.hpp"

#include <filesystem>

#include "cli/frame/notices_view.hpp"
#include "cli/frame/errors.hpp"
#include "history/bundle.hpp"

namespace polytrace::cli {

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

history::Layout layout_of(const HistoryOutput& options) {
  return options.layout == "stream" ? history::Layout::stream : history::Layout::segmented;
}

base::result<void> check_output(const HistoryOutput& options) {
  if (auto good = history::refuse_file(options.folder); !good) return good;
  if (options.force) return {};
  for (const std::string_view file : {history::kHistoryFile, history::kStateFile}) {
    std::error_code fault;
    if (std::filesystem::exists(history::file_in(options.folder, file), fault))
      return base::fail(base::Code::output_exists, std::string(file));
  }
  return {};
}

std::string_view blamed(const base::Error& error, std::string_view input, std::string_view output) {
  const bool writing =
      error.code == base::Code::write_failed || error.code == base::Code::output_exists;
  return writing ? output : input;
}

int tell_made(Session& session, const Made& made) {
  if (!session.common.json) {
    tell_notices(session, made.input, made.notices.sorted());
    return made.notices.exit_code();
  }
  const history::Facts& facts = made.facts;
  base::JsonWriter json(session.out().text());
  json.begin_object();
  json.member("schema", "polytrace.history.made/1");
  json.member("output", made.folder);
  json.member("id", history::to_text(facts.id));
  json.member("layout", facts.layout == history::Layout::stream ? "stream" : "segmented");
  json.member("timelines", facts.keys);
  json.member("states", facts.intervals);
  json.member("start", facts.start);
  json.member("end", facts.end);
  json.key("notices");
  write_notices(json, made.notices.sorted());
  json.end_object();
  session.out().text() += '\n';
  return made.notices.exit_code();
}

}  // namespace polytrace::cli
