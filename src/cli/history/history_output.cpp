// SPDX-License-Identifier: Apache-2.0
#include "cli/history/history_output.hpp"

#include <filesystem>

#include "base/codes.hpp"
#include "cli/frame/errors.hpp"
#include "cli/frame/notices_view.hpp"
#include "history/bundle.hpp"
#include "service/states/histories.hpp"

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
  session.out().text() +=
      service::history_made_json(std::string(made.folder), made.facts, made.notices);
  return made.notices.exit_code();
}

}  // namespace polytrace::cli
