// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/history/history_options.hpp"
#include "cli/history/state_view.hpp"
#include "cli/options/trace_options.hpp"
#include "service/states/ask_state.hpp"
#include "store/file/cache_folder.hpp"

namespace polytrace::cli {
namespace {

class State final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "state",
        "[OPTIONS] FILE --at TIME",
        "Which threads ran what, who waited for whom, the heap, the collector, counters: the "
        "states of a trace of any format at one time. Threads come first, by name, each with what "
        "it runs or for whom it waits; those that have ended only with --all. The first question "
        "about a trace builds a "
        "history of its states in the cache ($POLYTRACE_CACHE, else $XDG_CACHE_HOME/polytrace, "
        "else "
        "~/.cache/polytrace); further ones are answered from there. Of the histories there, the 16 "
        "used last stay.",
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
    add_index_options(list, input_.index, Traces::one);
    list.add("--at", question_.at, "The time").takes("TIME").required().in("Selection");
    add_keys(list, question_.keys);
    list.add("--all", question_.ended, "Threads that have ended, too").in("Output");
    list.add("--nulls", nulls_, "Show states without a value, too").in("Output");
    list.add("--no-cache", no_cache_, "Keep no history of this trace").in("Output");
    add_form(list, format_);
  }
  int run(Session& session) override {
    const service::Input input(input_, session.asking());
    question_.cache = store::cache_root();
    question_.keep = !no_cache_;
    const service::StateAnswer answer = service::ask_state(input, question_);
    if (!answer.trouble.empty())
      session.remark(fmt::format("no history of this trace is kept: {}", answer.trouble));
    int code = 0;
    if (answer.built) {
      const auto& [reading, written, made] = *answer.built;
      tell_notices(session, reading);
      tell_notices(session, input.name(), made.notices.sorted());
      code = std::max(conclude(session, reading), made.notices.exit_code());
    }
    if (!answer.moment) return std::max(code, session.refuse(answer.moment.error()));
    show(session, *answer.moment);
    return code;
  }

 private:
  void show(Session& session, const service::Moment& moment) const {
    const TableForm form = form_of(session, format_);
    std::string& out = session.out().text();
    if (form == TableForm::json) out += state_json(input_.file, moment, nulls_);
    else if (form == TableForm::text) append(session, moment);
    else
      append_states(out, moment.states.table(nulls_), form, session.look(),
                    moment.history->facts().start);
  }
  void append(Session& session, const service::Moment& moment) const {
    const history::Facts& facts = moment.history->facts();
    const history::Tick at = moment.at;
    session.page();
    std::string& out = session.out().text();
    const auto since = static_cast<std::int64_t>(static_cast<std::uint64_t>(at) -
                                                 static_cast<std::uint64_t>(facts.start));
    out += fmt::format("{} at {}", input_.file, base::duration_text(since));
    if (facts.clock_offset) out += fmt::format(", {}", base::wall_text(at + *facts.clock_offset));
    out += '\n';
    append_threads(out, moment.states, session.look());
    if (moment.ended_left_out != 0)
      out += fmt::format("{} left out (--all shows what is known of them)\n",
                         base::count_text(moment.ended_left_out, "thread that has ended is",
                                          "threads that have ended are"));
    out += '\n';
    append_tree(out, moment.states, session.look(), nulls_);
  }

  service::InputOptions input_;
  service::StateQuestion question_;
  bool nulls_ = false;
  bool no_cache_ = false;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_state() { return std::make_unique<State>(); }

}  // namespace polytrace::cli
