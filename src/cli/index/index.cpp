// SPDX-License-Identifier: Apache-2.0
#include "cli/help/group.hpp"

namespace polytrace::cli {

std::unique_ptr<Command> make_index() {
  static const CommandHelp kHelp{
      "index",
      "[COMMAND]",
      "An index is a folder that holds every event of a trace in columns, of whatever format "
      "the trace is, packed or not. Commands that answer from a trace read its index instead "
      "where a current one is there, and say the same. Its commands are words of their own: "
      "build, info, list, verify, drop, prune. Without one, they are listed.\n\n"
      "Indexes lie in $POLYTRACE_CACHE, else in $XDG_CACHE_HOME/polytrace, else in "
      "~/.cache/polytrace, named after the content of their trace: a copy of a trace has the "
      "same one. Together they keep a limit (index prune).",
      {{"make one", "polytrace index build app.mlpd"},
       {"which are there", "polytrace index list"},
       {"how to use build", "polytrace index build --help"}},
      {0, 2},
      "docs/index.md, docs/formats/index.md"};
  return make_group(kHelp);
}

}  // namespace polytrace::cli
