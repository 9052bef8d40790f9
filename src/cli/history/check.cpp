// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/frame/command.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/history/history_options.hpp"

namespace polytrace::cli {
namespace {

class HistoryCheck final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-check",
        "[OPTIONS] DIR",
        "Tests every checksum, decodes every segment and compares types.json and tree.json with "
        "history.bin. Says what is wrong, with offsets.",
        {{"one history", "polytrace history check app.history"},
         {"in a script", "polytrace history check --json app.history | jq .whole"}},
        {0, 1, 2, 3, 4, 6},
        "polytrace history repair, docs/formats/state-history.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override { add_history(list, source_); }
  int run(Session& session) override {
    const auto checked = service::check_history(source_);
    if (!checked) return session.fail(checked.error(), source_.path);
    std::string& out = session.out().text();
    if (session.common.json) {
      out += service::history_check_json(source_.path, *checked);
    } else {
      for (const base::Notice& notice : checked->notices.sorted())
        out += fmt::format("{}\n", notice_text(notice));
      if (checked->whole)
        out += fmt::format("whole: {} timelines, {} states\n", checked->facts.keys,
                           checked->facts.intervals);
    }
    if (checked->error) return session.fail(*checked->error, source_.path);
    return checked->notices.exit_code();
  }

 private:
  service::HistorySource source_;
};

}  // namespace

std::unique_ptr<Command> make_history_check() { return std::make_unique<HistoryCheck>(); }

}  // namespace polytrace::cli
