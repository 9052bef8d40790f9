// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "cli/frame/commands.hpp"
#include "cli/frame/errors.hpp"
#include "cli/history/history_input.hpp"

namespace polytrace::cli {
namespace {

using history::Facts;
using history::History;

std::string_view name_of(history::Layout layout) {
  return layout == history::Layout::stream ? "stream" : "segmented";
}

class HistoryInfo final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-info",
        "what a history holds",
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
    add_history(list, history_);
    list.add("--paths", paths_, "List the timelines, too").in("Output");
  }
  int run(Session& session) override {
    const auto opened = open_history(session, history_);
    if (!opened) return session.fail(opened.error(), history_.path);
    if (session.common.json) write(session.out().text(), *opened);
    else append(session.out().text(), *opened);
    return opened->notices().exit_code();
  }

 private:
  void append(std::string& out, const History& history) const {
    const Facts& facts = history.facts();
    const auto row = [&](std::string_view what, const std::string& value) {
      out += fmt::format("  {:<12}{}\n", what, value);
    };
    const auto count = [&](std::uint64_t number) { return base::count_text(number); };
    out += history_.path + '\n';
    row("format",
        fmt::format("state history {}.{}, {}", facts.version, facts.minor, name_of(facts.layout)));
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
      row(name(history.type(key)).data(), path_text(history, key));
  }
  void write(std::string& out, const History& history) const {
    const Facts& facts = history.facts();
    base::JsonWriter json(out);
    json.begin_object();
    json.member("schema", "polytrace.history/1");
    json.member("file", history_.path);
    json.member("id", history::to_text(facts.id));
    json.member("version", fmt::format("{}.{}", facts.version, facts.minor));
    json.member("layout", name_of(facts.layout));
    json.member("bytes", facts.bytes);
    json.member("complete", facts.complete);
    json.member("start", facts.start);
    json.member("end", facts.end);
    json.member("ticks_per_second", facts.ticks_per_second);
    json.key("clock_offset");
    facts.clock_offset ? json.value(*facts.clock_offset) : json.null();
    json.member("timelines", facts.keys);
    json.member("states", facts.intervals);
    json.member("changes", facts.changes);
    json.member("segments", facts.segments);
    json.member("texts", facts.strings);
    if (paths_) write_paths(json, history);
    json.key("notices");
    write_notices(json, history.notices().sorted());
    json.end_object();
    out += '\n';
  }
  static void write_paths(base::JsonWriter& json, const History& history) {
    json.key("paths");
    json.begin_array();
    for (const history::Key key : history.keys()) {
      json.begin_object();
      json.member("key", key);
      json.member("path", path_text(history, key));
      json.member("type", name(history.type(key)));
      json.end_object();
    }
    json.end_array();
  }

  HistoryOptions history_;
  bool paths_ = false;
};

}  // namespace

std::unique_ptr<Command> make_history_info() { return std::make_unique<HistoryInfo>(); }

}  // namespace polytrace::cli
