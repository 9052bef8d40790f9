// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "cli/index/index_view.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

class IndexList final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "index-list",
        "[OPTIONS]",
        "All indexes of the cache, the last used first: the trace that each was made of, its "
        "size, its last use and its state, their sum and the limit.",
        {{"for people", "polytrace index list"},
         {"their folders", "polytrace index list --json | jq -r '.indexes[].folder'"}},
        {0, 1, 2},
        "docs/index.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList&) override {}
  int run(Session& session) override {
    const auto account = service::list_indexes();
    if (!account) return session.fail(account.error());
    std::string& out = session.out().text();
    if (session.common.json) {
      out += service::cache_json(*account);
      return 0;
    }
    out += fmt::format("{}, {} of at most {}\n",
                       base::count_text(account->indexes.size(), "index", "indexes"),
                       base::bytes_text(account->bytes()), base::bytes_text(account->limit));
    if (!account->folder.empty()) out += fmt::format("  in {}\n", printable(account->folder));
    append_indexes(out, "Indexes", account->indexes, session.look());
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_index_list() { return std::make_unique<IndexList>(); }

}  // namespace polytrace::cli
