// SPDX-License-Identifier: Apache-2.0
#include "cli/history/history_output.hpp"

#include <filesystem>

#include "history/bundle.hpp"

namespace polytrace::cli {

void add_history_output(CLI::App& app, HistoryOutput& options, bool layouts) {
  app.add_option("-o,--output", options.folder, "The folder to write; made where it is missing")
      ->type_name("DIR")
      ->required()
      ->group("Output");
  if (layouts)
    app.add_option("--layout", options.layout,
                   "segmented (indexed, small) or stream (plain records, for other tools)")
        ->type_name("LAYOUT")
        ->check(CLI::IsMember({"segmented", "stream"}))
        ->capture_default_str()
        ->group("Output");
  app.add_flag("-f,--force", options.force, "Replace existing files")->group("Output");
}

history::Layout layout_of(const HistoryOutput& options) {
  return options.layout == "stream" ? history::Layout::stream : history::Layout::segmented;
}

base::result<void> check_output(const HistoryOutput& options) {
  if (options.force) return {};
  for (const std::string_view file : {history::kHistoryFile, history::kStateFile}) {
    std::error_code fault;
    if (std::filesystem::exists(history::file_in(options.folder, file), fault))
      return base::fail(base::Code::output_exists, std::string(file));
  }
  return {};
}

}  // namespace polytrace::cli
