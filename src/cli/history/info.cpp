// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "cli/frame/command.hpp"
#include "cli/history/history_options.hpp"

namespace polytrace::cli {
namespace {

using history::Facts;
using history::History;

class HistoryInfo final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-info",
        "[OPTIONS] DIR",
        "Its span, layout and size, how many timelines and states, and whether its build was "
        "completed. With --paths also every timeline with its type.",
        {{"the facts", "polytrace history info app.history"},
         {"all timelines", "polytrace history info app.history --paths"}},
        {0, 1, 2, 3, 4, 6},
        "docs/formats/state-history.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    add_history(list, source_);
    list.add("--paths", paths_, "List the timelines, too").in("Output");
  }
  int run(Session& session) override {
    const auto opened = open_history(session, source_);
    if (!opened) return session.fail(opened.error(), source_.path);
    std::string& out = session.out().text();
    if (session.common.json) out += service::history_json(source_.path, opened->history, paths_);
    else append(out, opened->history);
    return opened->history.notices().exit_code();
  }

 private:
  void append(std::string& out, const History& history) const {
    const Facts& facts = history.facts();
    const auto row = [&](std::string_view what, const std::string& value) {
      out += fmt::format("  {:<12}{}\n", what, value);
    };
    const auto count = [&](std::uint64_t number) { return base::count_text(number); };
    out += source_.path + '\n';
    row("format", fmt::format("state history {}.{}, {}", facts.version, facts.minor,
                              service::name_of(facts.layout)));
    row("id", history::to_text(facts.id));
    row("size", base::bytes_text(facts.bytes));
    row("complete", facts.complete ? "yes" : "no: an interrupted build");
    row("span", fmt::format("{} to {} ({} ticks a second)", facts.start, facts.end,
                            count(facts.ticks_per_second)));
    if (facts.clock_offset && facts.ticks_per_second == 1'000'000'000)
      row("begins", base::wall_text(facts.start + *facts.clock_offset));
    row("timelines", count(facts.keys));
    row("states", count(facts.intervals));
    row("changes", count(facts.changes));
    row("segments", count(facts.segments));
    row("texts", count(facts.strings));
    if (!paths_) return;
    out += "\nTimelines\n";
    for (const history::Key key : history.keys())
      row(name(history.type(key)).data(), service::path_text(history, key));
  }

  service::HistorySource source_;
  bool paths_ = false;
};

}  // namespace

std::unique_ptr<Command> make_history_info() { return std::make_unique<HistoryInfo>(); }

}  // namespace polytrace::cli
