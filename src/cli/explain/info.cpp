// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/explain/info_view.hpp"
#include "cli/frame/commands.hpp"
#include "cli/frame/session.hpp"
#include "service/input/input.hpp"
#include "service/input/overview.hpp"

namespace polytrace::cli {
namespace {

class Info final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "info",
        "what is this file?",
        "[OPTIONS] FILE",
        "Reads the whole trace and says what it is: format and version, who recorded it and with "
        "which options, how long it took, its threads, how many events of which kind it has, and "
        "everything in it that is damaged or missing.",
        {{"what is this file?", "polytrace info app.mlpd"},
         {"the number of events, for a script",
          "polytrace info --json app.mlpd | jq .events.total"},
         {"from a pipe", "zcat app.mlpd.gz | polytrace info -"}},
        {0, 1, 2, 3, 4, 6, 130},
        "docs/reference/json.md, polytrace report"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {.pager = true}; }
  void define(OptionList& list) override {
    add_input_options(list, input_, Following::offered);
    list.add("--limit", limit_, "Threads to list, 0 = all")
        .takes("COUNT")
        .shows_default()
        .in("Output");
  }
  int run(Session& session) override {
    const Input input(input_);
    auto opened = input.open();
    if (!opened) return session.fail(opened.error(), input.name());
    OverviewConsumer consumer;
    const Passed passed = pass(session, input, *opened->reader, consumer);
    const InfoResult result{input, *opened, passed, consumer.take(), limit_};
    session.page();
    if (session.common.json) append_info_json(session.out().text(), result);
    else append_info_text(session.out().text(), result, session.look());
    return conclude(session, input, passed);
  }

 private:
  InputOptions input_;
  std::uint64_t limit_ = 20;
};

}  // namespace

std::unique_ptr<Command> make_info() { return std::make_unique<Info>(); }

}  // namespace polytrace::cli
