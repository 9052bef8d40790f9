// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/signals.hpp"
#include "cli/record/recording_options.hpp"
#include "cli/record/recording_view.hpp"
#include "service/record/control.hpp"
#include "service/record/processes.hpp"

namespace polytrace::cli {
namespace {

constexpr std::uint64_t kMostProcesses = 1U << 30;  // no process has that number

// What still grows is not touched.
base::Error goes_on(base::Error error, const service::RecordingPlan& plan) {
  error.detail =
      fmt::format("the recording could not be stopped: {}; it goes on in {}{}", error.detail,
                  plan.stream, plan.ends_itself ? " until its time is over" : "");
  return error;
}

class Attach final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "attach",
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
    add_recording_options(list, question_.recording, report_);
    add_agent_options(list, question_.agent);
  }
  int run(Session& session) override {
    take_time_to_end();
    const auto process = static_cast<pid_t>(std::min<std::uint64_t>(number_, kMostProcesses));
    question_.process = process;
    const auto attached = service::attach_recording(question_);
    if (!attached) return session.fail(attached.error());
    tell_gaps(session, attached->gaps);
    bool stopped = false;
    base::result<void> good;
    const auto stop = [&] {
      stopped = true;
      good = service::stop_recording(process);
    };
    const service::RecordingEnd end = watch_recording(
        session, attached->plan, [&] { return stopped || !service::is_alive(process); }, stop);
    if (!good && service::is_alive(process))
      return session.fail(goes_on(good.error(), attached->plan));
    return finish_recording(session, attached->plan, report_, end);
  }

 private:
  std::uint64_t number_ = 0;
  bool report_ = false;
  service::AttachQuestion question_;
};

}  // namespace

std::unique_ptr<Command> make_attach() { return std::make_unique<Attach>(); }

}  // namespace polytrace::cli
