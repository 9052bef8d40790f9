// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/figure_text.hpp"
#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/history/history_input.hpp"
#include "cli/history/history_output.hpp"
#include "cli/history/state_cache.hpp"
#include "cli/history/state_table.hpp"
#include "cli/history/state_tree.hpp"
#include "cli/notices_view.hpp"

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
        "states of a trace of any format at one time. The first question about a trace builds a "
        "history of its states in the cache ($XDG_CACHE_HOME/polytrace, or ~/.cache); further ones "
        "are answered from there.",
        {{"in the middle of the trace", "polytrace state app.mlpd --at 50%"},
         {"only what threads ran", "polytrace state app.mlpd --at 1.5s --path 'Threads/*/Method'"},
         {"for a script", "polytrace state app.mlpd --at 1.5s --json | jq .states"}},
        {0, 1, 2, 3, 4, 6, 130},
        "docs/states.md, polytrace help times"};
    return kHelp;
  }
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
    int code = 0;
    if (!cache.is_filled()) {
      Input input(input_);
      const auto built = build_states(session, input, {cache.draft(), "segmented", true});
      if (!built) return session.fail(built.error(), input.name());
      tell_notices(session, input.name(), built->passed.notices);
      tell_notices(session, input.name(), built->notices.sorted());
      code = std::max(conclude(session, input, built->passed), built->notices.exit_code());
      // A partial answer is told each time, so it is made each time.
      const auto& place = code == 0 ? cache.folder() : cache.draft();
      if (auto filled = code == 0 ? cache.fill() : base::result<void>{}; !filled)
        return session.fail(filled.error());
      return std::max(code, answer(session, place));
    }
    return answer(session, cache.folder());
  }

 private:
  int answer(Session& session, const std::string& folder) const {
    const auto opened = history::open_bundle(folder);
    if (!opened) return session.fail(opened.error(), folder);
    const auto at = tick_of(at_, opened->facts(), opened->facts().start);
    if (!at) return session.fail(at.error());
    const auto keys = choose_keys(*opened, keys_);
    if (!keys) return session.fail(keys.error(), input_.file);
    const auto tree = StateTree::take(*opened, *at, *keys);
    if (!tree) return session.fail(tree.error(), input_.file);
    const show::TableForm form = form_of(session, format_);
    if (form == show::TableForm::json) write(session.out().text(), *opened, *at, *tree);
    else if (form == show::TableForm::text) append(session, *opened, *at, *tree);
    else
      append_states(session.out().text(), tree->table(nulls_), form, session.look(),
                    opened->facts().start);
    return 0;
  }
  void append(Session& session, const History& history, Tick at, const StateTree& tree) const {
    const history::Facts& facts = history.facts();
    std::string& out = session.out().text();
    const auto since = static_cast<std::int64_t>(static_cast<std::uint64_t>(at) -
                                                 static_cast<std::uint64_t>(facts.start));
    out += fmt::format("{} at {}", input_.file, base::duration_text(since));
    if (facts.clock_offset) out += fmt::format(", {}", base::wall_text(at + *facts.clock_offset));
    out += "\n\n";
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
