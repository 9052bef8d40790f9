// SPDX-License-Identifier: Apache-2.0
#include "cli/index/index_view.hpp"

namespace polytrace::cli {
namespace {

class IndexInfo final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "index-info",
        "[OPTIONS] FILE",
        "Whether there is one and whether it is current, where it lies, its size in all, by kind "
        "of frame and for each event, what it covers, and what could not be read of the trace.",
        {{"the facts", "polytrace index info app.mlpd"},
         {"in a script", "polytrace index info --json app.mlpd | jq -r '.indexes[].state'"}},
        {0, 1, 2, 6},
        "docs/index.md, docs/formats/index.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override { add_index_subject(list, subject_); }
  int run(Session& session) override {
    const auto account = service::index_account(subject_.file, subject_.folder);
    if (!account) return session.refuse(account.error());
    std::string& out = session.out().text();
    if (session.common.json) out += service::index_json(std::span(&*account, 1));
    else append_account(out, *account, session.look());
    return 0;
  }

 private:
  IndexSubject subject_;
};

}  // namespace

std::unique_ptr<Command> make_index_info() { return std::make_unique<IndexInfo>(); }

}  // namespace polytrace::cli
