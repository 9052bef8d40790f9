// SPDX-License-Identifier: Apache-2.0
#include "cli/help/group.hpp"

namespace polytrace::cli {

std::unique_ptr<Command> make_history() {
  static const CommandHelp kHelp{
      "history",
      "[COMMAND]",
      "A history keeps what held when: the state of every thread, lock, collector and counter, "
      "or of anything another tool writes. Its commands are words of their own: build, query, "
      "snapshot, info, check, repair, import, export, convert. Without one, they are listed.\n\n"
      "What reads a history takes its folder, or a .tar (.tar.gz, .tar.zst) or .zip of it, which "
      "is unpacked to temporary files; what writes one needs a folder.",
      {{"build one", "polytrace history build app.mlpd -o app.history"},
       {"ask it", "polytrace history query app.history --at 50%"},
       {"how to use build", "polytrace history build --help"}},
      {0, 2},
      "docs/states.md, docs/formats/state-history.md"};
  return make_group(kHelp);
}

}  // namespace polytrace::cli
