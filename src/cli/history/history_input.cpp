// SPDX-License-Identifier: Apache-2.0
#include "cli/history/history_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "cli/frame/notices_view.hpp"

namespace polytrace::cli {

using base::result;
using history::History;

void add_history_folder(OptionList& list, std::string& folder) {
  list.add("DIR", folder, "The folder of the history").takes("FILE").required().in("Input");
}

void add_history(OptionList& list, HistoryOptions& options) {
  list.add("DIR", options.path,
           "The folder of a history, or a .tar or .zip of one, or its history.bin")
      .takes("FILE")
      .required()
      .in("Input");
  list.add("--mixed", options.mixed,
           "Go on where types.json or tree.json belong to another history")
      .in("Input");
}

result<History> open_history(const Session& session, const HistoryOptions& options) {
  const auto files = history::BundleFiles::find(options.path);
  if (!files) return base::Unexpected(files.error());
  return open_history(session, options, *files);
}

result<History> open_history(const Session& session, const HistoryOptions& options,
                             const history::BundleFiles& files) {
  history::OpenBundleOptions open;
  open.force = options.mixed;
  auto opened = history::open_bundle(files, open);
  if (opened) tell_notices(session, options.path, opened->notices().sorted());
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

}  // namespace polytrace::cli
