// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/frame/command.hpp"
#include "cli/frame/session.hpp"
#include "cli/show/text_room.hpp"
#include "service/runtimes/checkup.hpp"
#include "service/runtimes/runtimes.hpp"

namespace polytrace::cli {
namespace {

using service::Checkup;
using service::Finding;
using service::FoundRuntime;
using service::Health;

Style style_of(Health health) {
  if (health == Health::good) return Style::good;
  return health == Health::missing ? Style::warning : Style::plain;
}

class Doctor final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "doctor",
        "[OPTIONS]",
        "Looks for runtimes (JDKs, Mono, .NET), for polytrace's agents, at the clock, at free room "
        "and at the folder of control sockets. Of each runtime it says what can be recorded, and "
        "which command to begin with, or what is missing and which command helps. Mono and .NET "
        "are asked for their version; nothing is changed. Exit code 5: no runtime can be recorded "
        "here.",
        {{"why does `record` not work?", "polytrace doctor"},
         {"for scripts", "polytrace doctor --json | jq .can_record"}},
        {0, 1, 2, 5},
        "docs/recording.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList&) override {}
  int run(Session& session) override {
    const Checkup checkup = service::check_machine();
    if (session.common.json) session.out().text() += service::doctor_json(checkup);
    else tell_people(session, checkup);
    return checkup.can_record ? 0 : kCheckFailed;
  }

 private:
  static std::string list_of(const std::vector<std::string_view>& words) {
    return fmt::format("{}", fmt::join(words, ","));
  }

  // A long path stands on a line of its own, so that the command fits a terminal and a shell.
  static std::string folded(const std::string& command) {
    constexpr std::size_t kMost = 70;
    constexpr std::string_view kPath = " --runtime ";
    const std::size_t at = command.find(kPath);
    if (command.size() <= kMost || at == command.npos) return command;
    const std::size_t behind = at + kPath.size();
    return fmt::format("{}\\\n           {}", command.substr(0, behind), command.substr(behind));
  }

  static void tell_runtime(std::string& out, const Look& look, const FoundRuntime& found) {
    const Health health = found.can_record ? Health::good : Health::missing;
    out += fmt::format("{} {}  ", service::find_runtime(found.name)->title,
                       found.version.empty() ? "(version unknown)" : found.version);
    out += paint(look.terminal, style_of(health), name_of(health));
    out += fmt::format("\n  {:<7}{}\n", "path", found.path);
    if (!found.can_record)
      out += fmt::format("  {:<7}{}\n  {:<7}{}\n", "not", found.why, "helps", found.command);
    if (!found.can_record) return;
    out += fmt::format("  {:<7}record{}\n", "works", found.can_attach ? ", attach" : "");
    out += fmt::format("  {:<7}{}\n", "events", list_of(found.kinds));
    if (!found.lacking.empty()) out += fmt::format("  {:<7}{}\n", "lacks", list_of(found.lacking));
    if (!found.can_attach) out += fmt::format("  {:<7}attach: for Java only\n", "");
    out += fmt::format("  {:<7}{}\n", "begin", folded(found.command));
  }

  static void tell_finding(std::string& out, const Look& look, const Finding& finding) {
    out += fmt::format("{:<8} ", finding.topic);
    out += paint(look.terminal, style_of(finding.health),
                 fmt::format("{:<8}", name_of(finding.health)));
    out += fmt::format(" {}\n", finding.text);
    if (finding.hint.empty()) return;
    for (const std::string& line : wrapped(finding.hint, 62))
      out += fmt::format("{:18}{}\n", "", line);
  }

  // The runtimes first, each with all there is to say; what is not one of them, in a line each.
  static void tell_people(Session& session, const Checkup& checkup) {
    std::string& out = session.out().text();
    for (const FoundRuntime& found : checkup.runtimes) {
      tell_runtime(out, session.look(), found);
      out += '\n';
    }
    const auto is_listed = [&](const Finding& finding) {
      return std::ranges::any_of(checkup.runtimes, [&](const FoundRuntime& found) {
        return service::find_runtime(found.name)->title == finding.topic;
      });
    };
    for (const Finding& finding : checkup.findings)
      if (!is_listed(finding)) tell_finding(out, session.look(), finding);
    out += checkup.can_record
               ? "\nReady to record.\n"
               : fmt::format("\nNothing can be recorded here. Next: {}\n", next_command(checkup));
  }
};

}  // namespace

std::unique_ptr<Command> make_doctor() { return std::make_unique<Doctor>(); }

}  // namespace polytrace::cli
