// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/record/checkup.hpp"
#include "cli/session.hpp"

namespace polytrace::cli {
namespace {

show::Style style_of(Health health) {
  if (health == Health::good) return show::Style::good;
  return health == Health::missing ? show::Style::warning : show::Style::plain;
}

class Doctor final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "doctor",
        "what can be recorded on this machine?",
        "[OPTIONS]",
        "Looks for runtimes (JDKs, Mono, .NET), for polytrace's agents, at the clock, at free room "
        "and at the folder of control sockets. Nothing is run, and nothing is changed. Exit code "
        "5: "
        "no runtime can be recorded here.",
        {{"why does `record` not work?", "polytrace doctor"},
         {"for scripts", "polytrace doctor --json | jq .can_record"}},
        {0, 1, 2, 5},
        "docs/recording.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList&) override {}
  int run(Session& session) override {
    const Checkup checkup = check_machine();
    if (session.common.json) tell_json(session.out().text(), checkup);
    else tell_people(session, checkup);
    return checkup.can_record ? 0 : kCheckFailed;
  }

 private:
  static void tell_people(Session& session, const Checkup& checkup) {
    std::string& out = session.out().text();
    for (const Finding& finding : checkup.findings) {
      out += fmt::format("{:<8} ", finding.topic);
      out += show::paint(session.look().terminal, style_of(finding.health),
                         fmt::format("{:<8}", name_of(finding.health)));
      out += fmt::format(" {}\n", finding.text);
      if (!finding.hint.empty()) out += fmt::format("{:18}hint: {}\n", "", finding.hint);
    }
    out += checkup.can_record ? "\nReady to record.\n" : "\nNothing can be recorded here.\n";
  }

  static void tell_json(std::string& out, const Checkup& checkup) {
    base::JsonWriter json(out);
    json.begin_object();
    json.member("schema", "polytrace.doctor/1");
    json.member("can_record", checkup.can_record);
    json.key("findings");
    json.begin_array();
    for (const Finding& finding : checkup.findings) {
      json.begin_object();
      json.member("topic", finding.topic);
      json.member("health", name_of(finding.health));
      json.member("text", finding.text);
      json.member("hint", finding.hint);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    out += '\n';
  }
};

}  // namespace

std::unique_ptr<Command> make_doctor() { return std::make_unique<Doctor>(); }

}  // namespace polytrace::cli
