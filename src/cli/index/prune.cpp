// SPDX-License-Identifier: Apache-2.0
#include "cli/index/index_view.hpp"

namespace polytrace::cli {
namespace {

class IndexPrune final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "index-prune",
        "[OPTIONS]",
        "Removes indexes from the cache until the rest keeps the limit, as every build does at "
        "its end: those that were used least recently first, never one that is used or built. "
        "What a build that was stopped left behind goes after a day.\n\n"
        "The limit is $POLYTRACE_CACHE_LIMIT, else the less of 20 GiB and a tenth of the file "
        "system.",
        {{"now", "polytrace index prune"}, {"down to 2 GiB", "polytrace index prune --limit 2G"}},
        {0, 1, 2},
        "docs/index.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("--limit", limit_, "What indexes may take together: 500M, 20G")
        .takes("SIZE")
        .in("Input");
  }
  int run(Session& session) override {
    const auto dropped = service::prune_indexes(limit_);
    if (!dropped) return session.fail(dropped.error());
    std::string& out = session.out().text();
    if (session.common.json) out += service::dropped_json(*dropped);
    else append_dropped(out, *dropped, session.look());
    return 0;
  }

 private:
  std::string limit_;
};

}  // namespace

std::unique_ptr<Command> make_index_prune() { return std::make_unique<IndexPrune>(); }

}  // namespace polytrace::cli
