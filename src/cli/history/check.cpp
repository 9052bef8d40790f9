// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/frame/commands.hpp"
#include "cli/frame/errors.hpp"
#include "cli/history/history_input.hpp"

namespace polytrace::cli {
namespace {

class HistoryCheck final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-check",
        "is this history whole?",
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
  void define(OptionList& list) override { add_history(list, history_); }
  int run(Session& session) override {
    history::OpenBundleOptions options;
    options.force = history_.mixed;
    const auto files = history::BundleFiles::find(history_.path);
    if (!files) return session.fail(files.error(), history_.path);
    const auto opened = history::open_bundle(*files, options);
    if (!opened) return session.fail(opened.error(), history_.path);
    const auto verified = opened->verify();
    base::Notices found = opened->notices();
    if (!history_.mixed) {
      const auto differences = history::compare_bundle(*opened, *files);
      if (!differences) return session.fail(differences.error(), history_.path);
      found.merge(*differences);
    }
    const auto notices = found.sorted();
    const bool whole = verified.has_value() && found.exit_code() == 0;
    if (session.common.json) {
      base::JsonWriter json(session.out().text());
      json.begin_object();
      json.member("schema", "polytrace.history.check/1");
      json.member("file", history_.path);
      json.member("whole", whole);
      json.member("states", opened->facts().intervals);
      json.key("notices");
      write_notices(json, notices);
      json.end_object();
      session.out().text() += '\n';
    } else {
      for (const base::Notice& notice : notices)
        session.out().text() += fmt::format("{}\n", notice_text(notice));
      if (whole)
        session.out().text() += fmt::format("whole: {} timelines, {} states\n",
                                            opened->facts().keys, opened->facts().intervals);
    }
    if (!verified) return session.fail(verified.error(), history_.path);
    return found.exit_code();
  }

 private:
  HistoryOptions history_;
};

}  // namespace

std::unique_ptr<Command> make_history_check() { return std::make_unique<HistoryCheck>(); }

}  // namespace polytrace::cli
