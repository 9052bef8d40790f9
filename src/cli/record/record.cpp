// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "agent/control/client.hpp"
#include "base/codes.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/signals.hpp"
#include "cli/record/agent_options.hpp"
#include "cli/record/children.hpp"
#include "cli/record/defaults.hpp"
#include "cli/record/recording.hpp"
#include "cli/runtimes/cautions.hpp"

namespace polytrace::cli {
namespace {

std::vector<std::string> runtime_names() {
  std::vector<std::string> names;
  for (const Runtime& runtime : runtimes()) names.emplace_back(runtime.name);
  return names;
}

class Record final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "record",
        "runs a program and records it",
        "[OPTIONS] java|mono|dotnet PROGRAM [ARGUMENT ...]",
        "Runs `java PROGRAM ...`, `mono PROGRAM ...` or `dotnet PROGRAM ...` with polytrace's "
        "agent "
        "in it, and writes what it does to a file. Everything behind java, mono or dotnet is "
        "theirs; options of polytrace stand before. The exit code is the program's own.\n\n"
        "Without --events it records calls, threads, collections, contended locks, one allocation "
        "in some 512 KiB and, but for Java, exceptions; methods of the JDK or of .NET itself, and "
        "short methods of Java, are left out. One line says so, with the options that add them. A "
        "recording "
        "ends at 4 GiB (--limit), or when the disk is nearly full; the program goes on.\n\n"
        "A program of .NET is a library (shop.dll), or an executable (./shop), which is run "
        "itself.\n\n"
        "The first Ctrl-C is passed on to the program, and what it did until then is kept. A "
        "program that is killed leaves what it recorded in a file of segments; it is added to the "
        "recording. What was lost is said. With --json the program's standard output goes to "
        "standard error.",
        {{"a Java program", "polytrace record java -cp classes Shop"},
         {"only the methods of some packages, with a report at the end",
          "polytrace record --filter 'com.acme.*' --report java -jar shop.jar"},
         {"a program of .NET", "polytrace record dotnet shop.dll"},
         {"as TPTP's XML", "polytrace record -o shop.trcxml mono shop.exe"},
         {"nothing but locks and exceptions",
          "polytrace record --events monitors,exceptions mono shop.exe"},
         {"besides the default, every allocation by its place",
          "polytrace record --events +alloc=sites java -cp classes Shop"},
         {"for long: a gigabyte of what came first",
          "polytrace record --limit 1g dotnet shop.dll"}},
        {0, 1, 2, 3, 4, 6, 130},
        "docs/tutorial.md, docs/recording.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    list.add("RUNTIME", runtime_, "java, mono or dotnet, then the program and its arguments")
        .takes("RUNTIME")
        .suggests(runtime_names())
        .required()
        .in("What is recorded");
    list.leave_rest_to(arguments_);
    add_recording_options(list, recording_);
    add_agent_options(list, agent_);
    list.add("--runtime", program_, "The program to run instead of the one in PATH")
        .takes("FILE")
        .in("What is recorded");
    list.add("--children", agent_.children,
             "Record programs of the same runtime that it starts, too: each process in a file "
             "NAME.PID.ptrace, with a limit of its own")
        .in("What is recorded");
    list.add("--replace-profiler", replaces_,
             "Take the place of another profiler that the environment has for .NET")
        .in("What is recorded");
  }
  int run(Session& session) override {
    take_time_to_end();
    const Runtime* runtime = find_runtime(runtime_);
    if (runtime == nullptr)
      return session.fail_usage(
          fmt::format("\"{}\" is no runtime that can be recorded: java, mono or dotnet", runtime_));
    const std::string gaps = left_out(agent_, runtime->name, Beginning::with_program);
    complete_events(agent_, runtime->name);
    const auto launch = prepare(*runtime);
    if (!launch) return session.fail(launch.error());
    for (const std::string& caution : cautions_) session.remark(caution);
    if (!gaps.empty()) session.remark(gaps);
    if (agent_.children) others_ = recorded_processes(plan_);
    auto child = Child::start(*launch, session.common.json);
    if (!child) return session.fail(child.error());
    return watch(session, *child);
  }

 private:
  int watch(Session& session, Child& child) {
    const RecordingPlan plan = agent_.children ? plan_for_process(plan_, child.process()) : plan_;
    if (agent_.children)
      recording_.output = name_for_process(recording_.output, std::to_string(child.process()));
    Ending ending;
    ChildWatch children(child.process());
    const auto ended = [&] {
      if (!agent_.children) children.look();
      return child.ended(ending);
    };
    RecordingEnd end = watch_recording(session, plan, ended, [&] { stop(session, child); });
    end.program = ending;
    const int code = finish_recording(session, recording_, plan, end);
    others_.insert(child.process());
    if (agent_.children) finish_children(session, plan_, others_);
    else if (children.seen() > 0)
      session.remark(
          fmt::format("not recorded: {} or more programs of Java, Mono or .NET that it "
                      "started; --children records those of its own runtime",
                      children.seen()));
    return code;
  }

  base::result<Launch> prepare(const Runtime& runtime) {
    if (arguments_.empty())
      return base::fail(base::Code::usage, fmt::format("no program for {} to run", runtime.name));
    if (const auto free = check_profiler(runtime.name); !free && !replaces_)
      return tl::unexpected(free.error());
    auto program = find_program(runtime, program_);
    if (!program) return tl::unexpected(program.error());
    auto library = find_agent(runtime, agent_.agent);
    if (!library) return tl::unexpected(library.error());
    auto plan = plan_recording(recording_);
    if (!plan) return tl::unexpected(plan.error());
    plan_ = std::move(*plan);
    agent_.controllable |= plan_.duration.count() != 0;
    // The agent for .NET keeps itself out of children otherwise.
    if (agent_.children && runtime.name == "dotnet")
      agent_.others.emplace_back("coreclr.children=yes");
    plan_.events = kinds_of(agent_);
    plan_.limit = agent_.limit;
    plan_.runtime = runtime.name;
    plan_.arguments = arguments_;
    auto text = option_string(agent_, plan_.stream);
    if (!text) return tl::unexpected(text.error());
    cautions_ = cautions(runtime.name, *text, arguments_, agent_.children);
    const auto launch = agent_.children ? launch_with_children : launch_of;
    return launch(runtime, *program, *library, *text, arguments_);
  }

  // The user asks, or the time is over: then only the recording ends.
  static void stop(const Session& session, const Child& child) {
    if (stop_asked()) return child.signal(stop_signal());
    const auto answer = agent::control::stop_recording(child.process());
    if (!answer) session.remark(fmt::format("the recording goes on: {}", answer.error().detail));
    if (answer && answer->outcome != agent::control::Outcome::ok)
      session.remark(fmt::format("the recording goes on: {}", answer->text));
  }

  std::string runtime_;
  std::string program_;
  std::vector<std::string> arguments_;
  RecordingOptions recording_;
  AgentOptions agent_;
  bool replaces_ = false;
  std::vector<std::string> cautions_;
  RecordingPlan plan_;
  std::set<pid_t> others_;  // whose recordings are none of its children
};

}  // namespace

std::unique_ptr<Command> make_record() { return std::make_unique<Record>(); }

}  // namespace polytrace::cli
