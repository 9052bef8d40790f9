// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <csignal>
#include <thread>

#include "agent/control/client.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/signals.hpp"
#include "cli/record/agent_options.hpp"
#include "cli/record/defaults.hpp"
#include "cli/record/recording.hpp"
#include "cli/runtimes/jvm_attach.hpp"

namespace polytrace::cli {
namespace {

using namespace agent::control;

constexpr std::uint64_t kMostProcesses = 1U << 30;  // no process has that number

bool is_alive(pid_t process) { return kill(process, 0) == 0; }

class Attach final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "attach",
        "records a Java program that is running already",
        "[OPTIONS] PID",
        "Loads polytrace's agent into a JVM of the same user and records until the program ends, "
        "the --duration is over or Ctrl-C is pressed: then only the recording stops. Methods are "
        "made ready while the program runs, which takes a second or two.\n\n"
        "The JVM prints warnings into the program's output: that natives are registered anew "
        "(-Xlog:jni+resolve=off when it starts keeps it silent), and from JDK 21 on that an agent "
        "was loaded (-XX:+EnableDynamicAgentLoading).",
        {{"half a minute of a running program", "polytrace attach --duration 30s 4711"},
         {"with a report at the end", "polytrace attach --report -o shop.ptrace 4711"}},
        {0, 1, 2, 3, 4, 6, 130},
        "polytrace control, docs/recording.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    list.add("PID", number_, "The Java process").takes("PID").required().in("What is recorded");
    add_recording_options(list, recording_);
    add_agent_options(list, agent_);
    agent_.controllable = true;
  }
  int run(Session& session) override {
    take_time_to_end();
    process_ = static_cast<pid_t>(std::min<std::uint64_t>(number_, kMostProcesses));
    if (const auto fit = check_jvm(process_); !fit) return session.fail(fit.error());
    const auto library = find_agent(*find_runtime("java"), agent_.agent);
    if (!library) return session.fail(library.error());
    auto plan = plan_recording(recording_);
    if (!plan) return session.fail(plan.error());
    agent_.controllable = true;  // to be able to stop it
    const std::string gaps = left_out(agent_, "java", Beginning::while_it_runs);
    complete_events(agent_, "java");
    plan->events = kinds_of(agent_);
    plan->limit = agent_.limit;
    const auto text = option_string(agent_, plan->stream);
    if (!text) return session.fail(text.error());
    const auto loaded = load_into_jvm(process_, *library, *text, std::chrono::seconds(10));
    if (!loaded) return session.fail(loaded.error());
    if (!gaps.empty()) session.remark(gaps);
    plan->ends_when_cut = true;
    const RecordingEnd end = watch_recording(
        session, *plan, [&] { return stopped_ || !is_alive(process_); }, [&] { stop(session); });
    return finish_recording(session, recording_, *plan, end);
  }

 private:
  void stop(const Session& session) {
    stopped_ = true;
    const auto answer = agent::control::stop_recording(process_);
    if (!answer)
      return session.remark(
          fmt::format("the recording could not be stopped: {}", answer.error().detail));
    if (answer->outcome != Outcome::ok)
      session.remark(fmt::format("the recording could not be stopped: {}", answer->text));
  }

  std::uint64_t number_ = 0;
  pid_t process_ = 0;
  bool stopped_ = false;
  RecordingOptions recording_;
  AgentOptions agent_;
};

}  // namespace

std::unique_ptr<Command> make_attach() { return std::make_unique<Attach>(); }

}  // namespace polytrace::cli
