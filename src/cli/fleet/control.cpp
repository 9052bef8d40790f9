// SPDX-License-Identifier: Apache-2.0
#include "fleet/control.hpp"

#include <fmt/format.h>

#include "agent/control/protocol/endpoint.hpp"
#include "cli/frame/session.hpp"
#include "cli/show/text_room.hpp"
#include "collector/config/verbs.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::cli {
namespace {

class FleetControl final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-control",
        "[OPTIONS] COMMAND [TEXT] --where CONDITION --hub URL --token-file F",
        "start, stop, pause, resume: the recording; start has a --duration, and --events for a "
        "JVM. level: the recording ends and another one begins, with --events and --duration. "
        "filters, flush, gc, heap-dump: as polytrace control does them. annotate TEXT: an event "
        "that says so.\n\n"
        "Only programs whose labels are as --where says, at most --limit of them. The first one "
        "(--canary) is commanded alone; where others are to follow, the hub waits (--wait) and "
        "stops where the first one loses more events, pauses more or needs more processor time, "
        "by a fifth. Each program's outcome is told, and kept in the store: fleet commands.\n\n"
        "Three must agree: the token has the role `control` (heap-dump: `dump`, too), the edge's "
        "configuration allows the command (control.allow), and the agent can do it.",
        {{"a collection in one process of a service",
          "polytrace fleet control gc --where service=shop --hub https://hub-1:8471 --token-file "
          "token"},
         {"nine processes of one host, the first one alone",
          "polytrace fleet control pause --where host=a --limit 9 --hub https://hub:8471 "
          "--token-file token"}},
        {0, 1, 2},
        "docs/fleet.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("COMMAND", order_.command, "What the programs shall do")
        .takes("COMMAND")
        .suggests({collector::kVerbs.begin(), collector::kVerbs.end()})
        .required()
        .in("Command");
    list.add("TEXT", order_.text, "Of annotate").takes("TEXT").in("Command");
    list.add("--events", events_, "Kinds of events, of start and level")
        .takes("LIST")
        .in("Command");
    list.add("--filter", order_.filters,
             "A rule, \"com.acme.* * INCLUDE\"; all of them are the whole new list")
        .takes("RULE")
        .in("Command");
    list.add("--duration", order_.duration, "When start and level end by themselves: 60s")
        .takes("TIME")
        .in("Command");
    list.add("--size", order_.size, "Or when the recording is as large")
        .takes("SIZE")
        .in("Command");
    list.add("--where", order_.where, "Which programs: service=\"shop\" and host=\"web-7\"")
        .takes("CONDITION")
        .required()
        .in("Programs");
    list.add("--limit", order_.limit, "So many of them at most")
        .takes("N")
        .shows_default()
        .in("Programs");
    list.add("--rate", order_.rate, "So many a second (default: 1)").takes("N").in("Programs");
    list.add("--canary", order_.canary, "So many first, alone; 0: none")
        .takes("N")
        .shows_default()
        .in("Programs");
    list.add("--wait", order_.wait, "How long these are looked at (default: 60s)")
        .takes("TIME")
        .in("Programs");
    list.add("--hub", hub_.url, "Where hubs are, or a collector that is both")
        .takes("URL")
        .required()
        .in("Hub");
    list.add("--token-file", token_file_,
             "The file with the token, which nobody but its owner may read")
        .takes("FILE")
        .required()
        .in("Hub");
    list.add("--ca", hub_.ca, "Whose certificates the hub's must be of (default: the system's)")
        .takes("FILE")
        .in("Hub");
  }
  int run(Session& session) override {
    if (!order_.rate.empty() && !service::parse_number<double>(order_.rate))
      return session.fail_usage(fmt::format("--rate \"{}\" is no number", order_.rate));
    for (std::size_t at = 0; at < events_.size();) {
      const std::size_t end = std::min(events_.find_first_of(",+", at), events_.size());
      if (end != at) order_.events.push_back(events_.substr(at, end - at));
      at = end + 1;
    }
    auto token = agent::control::read_private_token(token_file_);
    if (!token) return session.fail(token.error(), token_file_);
    hub_.token = std::move(*token);
    const auto answer = fleet::command_fleet(hub_, order_);
    if (!answer) return session.fail(answer.error());
    session.common.json ? void(session.out().text() += answer->json) : tell(session, *answer);
    return answer->is_done() ? 0 : 1;
  }

 private:
  void tell(Session& session, const fleet::ControlAnswer& answer) const {
    std::string& out = session.out().text();
    for (const fleet::ControlFate& one : answer.fates) {
      out += printable(
                 fmt::format("{} {} on {}: {}", one.service, one.instance, one.host, one.outcome)) +
             '\n';
      if (!one.text.empty()) out += "  " + printable(one.text) + '\n';
    }
    if (answer.fates.empty())
      session.remark(
          "no program that is connected has such labels: fleet series lists who is there");
    else if (answer.matched > answer.fates.size())
      session.remark(fmt::format("{} programs have such labels; --limit says how many are asked",
                                 answer.matched));
    if (!answer.canary.empty()) session.remark("the first ones: " + printable(answer.canary));
    for (const std::string& edge : answer.silent)
      session.remark("no answer from " + printable(edge));
    session.remark(fmt::format("order {}: fleet commands tells it again", printable(answer.order)));
  }

  fleet::ControlOrder order_;
  fleet::Hub hub_;
  std::string events_, token_file_;
};

}  // namespace

std::unique_ptr<Command> make_fleet_control() { return std::make_unique<FleetControl>(); }

}  // namespace polytrace::cli
