// SPDX-License-Identifier: Apache-2.0
#include "cli/help/group.hpp"

namespace polytrace::cli {

std::unique_ptr<Command> make_fleet() {
  static const CommandHelp kHelp{
      "fleet",
      "[COMMAND]",
      "Aggregates of many processes lie in a store, a database of a ClickHouse server: who was "
      "there, where time, memory, pauses and locks went, by stack and by method. Its commands are "
      "words of their own. Without one, they are listed.\n\n"
      "The store is --store, else $POLYTRACE_STORE. --where chooses processes by their labels, "
      "--last a stretch of time. Every answer tells what it is made of: from which tables, of how "
      "many series and rows, and how many events were lost.",
      {{"who is there?", "polytrace fleet services --store http://127.0.0.1:8123/shop"},
       {"where does the time of one version go?",
        "polytrace fleet methods --where 'service=\"shop\" and version=\"2\"' --last 6h"},
       {"how to use flame", "polytrace fleet flame --help"}},
      {0, 2},
      "docs/fleet.md"};
  return make_group(kHelp);
}

}  // namespace polytrace::cli
