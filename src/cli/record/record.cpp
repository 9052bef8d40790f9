// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "cli/frame/signals.hpp"
#include "cli/record/recording_options.hpp"
#include "cli/record/recording_view.hpp"
#include "service/record/control.hpp"
#include "service/record/processes.hpp"

namespace polytrace::cli {
namespace {

using service::RecordedProgram;

std::vector<std::string> runtime_names() {
  std::vector<std::string> names;
  for (const service::Runtime& runtime : service::runtimes()) names.emplace_back(runtime.name);
  return names;
}

class Record final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "record",
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
    list.add("RUNTIME", question_.runtime,
             "java, mono or dotnet, then the program and its arguments")
        .takes("RUNTIME")
        .suggests(runtime_names())
        .required()
        .in("What is recorded");
    list.leave_rest_to(question_.arguments);
    add_recording_options(list, question_.recording, report_);
    add_agent_options(list, question_.agent);
    list.add("--runtime", question_.program, "The program to run instead of the one in PATH")
        .takes("FILE")
        .in("What is recorded");
    list.add("--children", question_.agent.children,
             "Record programs of the same runtime that it starts, too: each process in a file "
             "NAME.PID.ptrace, with a limit of its own")
        .in("What is recorded");
    list.add("--replace-profiler", question_.replaces_profiler,
             "Take the place of another profiler that the environment has for .NET")
        .in("What is recorded");
  }
  int run(Session& session) override {
    take_time_to_end();
    const auto prepared = service::prepare_recording(question_);
    if (!prepared) return session.fail(prepared.error());
    for (const std::string& caution : prepared->cautions) session.remark(caution);
    tell_gaps(session, prepared->gaps);
    auto program = RecordedProgram::start(*prepared, session.common.json);
    if (!program) return session.fail(program.error());
    return watch(session, *program);
  }

 private:
  int watch(Session& session, RecordedProgram& program) const {
    service::RecordingEnd end = watch_recording(
        session, program.plan(), [&] { return program.ended(); }, [&] { stop(session, program); });
    end.program = program.ending();
    const int code = finish_recording(session, program.plan(), report_, end);
    for (const RecordedProgram::Other& other : program.others()) finish(session, other);
    if (program.not_recorded() > 0)
      session.remark(
          fmt::format("not recorded: {} or more programs of Java, Mono or .NET that it "
                      "started; --children records those of its own runtime",
                      program.not_recorded()));
    return code;
  }

  static void finish(const Session& session, const RecordedProgram::Other& other) {
    if (!service::is_alive(other.process)) return finish_other(session, other.plan);
    session.remark(fmt::format("{}: process {} still runs and records",
                               std::filesystem::path(other.plan.output).filename().string(),
                               other.process));
  }

  // The user asks, or the time is over: then only the recording ends.
  static void stop(const Session& session, const RecordedProgram& program) {
    if (stop_asked()) return program.signal(stop_signal());
    if (const auto stopped = service::stop_recording(program.process()); !stopped)
      session.remark(fmt::format("the recording goes on: {}", stopped.error().detail));
  }

  service::RecordQuestion question_;
  bool report_ = false;
};

}  // namespace

std::unique_ptr<Command> make_record() { return std::make_unique<Record>(); }

}  // namespace polytrace::cli
