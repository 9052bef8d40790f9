// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/frame/commands.hpp"
#include "cli/frame/errors.hpp"
#include "cli/history/history_input.hpp"
#include "cli/history/history_output.hpp"
#include "service/states/state_cache.hpp"
#include "service/states/state_table.hpp"
#include "service/states/state_tree.hpp"
#include "cli/history/thread_list.hpp"

namespace polytrace::cli {
namespace {

using history::History;
using history::Tick;

class State final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "state",
        "what was everything doing at one moment?",
        "[OPTIONS] FILE --at TIME",
        "Which threads ran what, who waited for whom, the heap, the collector, counters: the "
        "states of a trace of any format at one time. Threads that live come first, by name, each "
        "with what it runs or for whom it waits. The first question about a trace builds a "
        "history of its states in the cache ($XDG_CACHE_HOME/polytrace, or ~/.cache); further ones "
        "are answered from there. Of the histories there, the 16 used last stay.",
        {{"in the middle of the trace", "polytrace state app.mlpd --at 50%"},
         {"only what threads ran", "polytrace state app.mlpd --at 1.5s --path 'Threads/*/Method'"},
         {"for a script", "polytrace state app.mlpd --at 1.5s --json | jq .states"}},
        {0, 1, 2, 3, 4, 6, 130},
        "docs/states.md, polytrace help times"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {.pager = true}; }
  void define(OptionList& list) override {
    add_input_file(list, input_);
    add_reading_options(list, input_, Following::not_offered);
    list.add("--at", at_, "The time").takes("TIME").required().in("Selection");
    add_keys(list, keys_);
    list.add("--nulls", nulls_, "Show states without a value, too").in("Output");
    list.add("--no-cache", no_cache_, "Keep no history of this trace").in("Output");
    add_form(list, format_);
  }
  int run(Session& session) override {
    StateCache cache(input_.file, !no_cache_);
    if (const auto kept = cache.find()) {
      const auto answered = answer(session, *kept, cache.folder());
      if (answered) return 0;
      if (is_question(answered.error())) return session.fail(answered.error(), input_.file);
      // Damage that shows now: it is made again.
    }
    return build_and_answer(session, cache);
  }

 private:
  // Whether it is what was asked for that is wrong, not the history.
  static bool is_question(const base::Error& error) {
    return error.code == base::Code::usage || error.code == base::Code::key_unknown ||
           error.code == base::Code::time_outside;
  }
  int build_and_answer(Session& session, StateCache& cache) const {
    Input input(input_);
    const auto built = build_states(session, input, {cache.draft(), "segmented", true});
    if (!cache.trouble().empty())
      session.remark(fmt::format("no history of this trace is kept: {}", cache.trouble()));
    if (!built) return session.fail(built.error(), input.name());
    tell_notices(session, input.name(), built->passed.notices);
    tell_notices(session, input.name(), built->notices.sorted());
    const int code = std::max(conclude(session, input, built->passed), built->notices.exit_code());
    // A partial answer is told each time, so it is made each time. A draft that becomes the cache's
    // is open meanwhile: somebody else may replace it at once.
    const auto opened =
        history::History::open(history::file_in(cache.draft(), history::kHistoryFile));
    if (!opened) return session.fail(opened.error(), cache.draft());
    const auto answered = answer(session, *opened, cache.draft());
    if (code == 0) cache.fill();
    return answered ? code : std::max(code, session.fail(answered.error(), input_.file));
  }
  // Nothing is shown of an answer that fails.
  base::result<void> answer(Session& session, const History& history,
                            const std::string& folder) const {
    const auto at = tick_of(at_, history.facts(), history.facts().start);
    if (!at) return base::Unexpected(at.error());
    const auto keys = choose_keys(history, keys_);
    if (!keys) return base::Unexpected(keys.error());
    const auto tree = StateTree::take(history, *at, *keys, history::load_notes(folder));
    if (!tree) return base::Unexpected(tree.error());
    const TableForm form = form_of(session, format_);
    if (form == TableForm::json) write(session.out().text(), history, *at, *tree);
    else if (form == TableForm::text) append(session, history, *at, *tree);
    else
      append_states(session.out().text(), tree->table(nulls_), form, session.look(),
                    history.facts().start);
    return {};
  }
  void append(Session& session, const History& history, Tick at, const StateTree& tree) const {
    const history::Facts& facts = history.facts();
    session.page();
    std::string& out = session.out().text();
    const auto since = static_cast<std::int64_t>(static_cast<std::uint64_t>(at) -
                                                 static_cast<std::uint64_t>(facts.start));
    out += fmt::format("{} at {}", input_.file, base::duration_text(since));
    if (facts.clock_offset) out += fmt::format(", {}", base::wall_text(at + *facts.clock_offset));
    out += '\n';
    append_threads(out, tree, session.look());
    out += '\n';
    tree.append_text(out, session.look(), nulls_);
  }
  void write(std::string& out, const History& history, Tick at, const StateTree& tree) const {
    base::JsonWriter json(out);
    json.begin_object();
    json.member("schema", "polytrace.state/1");
    json.member("file", input_.file);
    json.member("time", at);
    json.member("start", history.facts().start);
    json.member("end", history.facts().end);
    json.key("states");
    tree.write(json, nulls_);
    json.end_object();
    out += '\n';
  }

  InputOptions input_;
  std::string at_;
  KeyOptions keys_;
  bool nulls_ = false;
  bool no_cache_ = false;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_state() { return std::make_unique<State>(); }

}  // namespace polytrace::cli
