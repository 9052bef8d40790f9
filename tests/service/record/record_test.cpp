// SPDX-License-Identifier: Apache-2.0
// Recording as far as it needs no runtime: what is decided before and behind it, and any program in
// its place.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "base/codes.hpp"
#include "format/native/wire/wire.hpp"
#include "service/example.hpp"
#include "service/record/control.hpp"
#include "service/record/finish.hpp"
#include "service/record/processes.hpp"
#include "service/runtimes/checkup.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::service::test {
namespace {

using base::Code;
using polytrace::test::content_of;
using polytrace::test::TemporaryFolder;
namespace fs = std::filesystem;

// Any program in the place of mono, and any file in that of its agent.
RecordQuestion question_in(const TemporaryFolder& folder) {
  RecordQuestion question;
  question.runtime = "mono";
  question.program = "/bin/true";
  question.arguments = {"app.exe", "1"};
  question.recording.output = folder.file("a.ptrace");
  question.agent.agent = folder.write("agent.so", "");
  return question;
}

TEST(agent_options, become_one_string) {
  AgentOptions options;
  options.events = {"calls,gc", "jit"};
  options.filters = {"com.acme.*,-com.acme.gen.*"};
  options.policy = "drop";
  options.others = {"flush=100"};
  const auto text = option_string(options, "/tmp/50%.ptrace");
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text,
            "file=/tmp/50%%.ptrace,events=calls+gc+jit,filter=com.acme.*,-com.acme.gen.*,"
            "policy=drop,limit=4g,flush=100");
  options.children = true;
  EXPECT_TRUE(option_string(options, "/tmp/a.ptrace")->starts_with("file=/tmp/a.%p.ptrace,"));
}

TEST(agent_options, are_refused_where_no_agent_would_understand_them) {
  for (const char* other : {"flash=100", "flush=soon", "flush=1;x=2"}) {
    AgentOptions options;
    options.others = {other};
    const auto text = option_string(options, "/tmp/a.ptrace");
    ASSERT_FALSE(text.has_value()) << other;
    EXPECT_EQ(text.error().code, Code::usage);
  }
  EXPECT_FALSE(option_string({}, "/tmp/a,b.ptrace").has_value());
}

TEST(agent_options, have_gaps_only_where_nobody_has_chosen) {
  AgentOptions options;
  const auto all = gaps_of(options, "java", Beginning::with_program);
  EXPECT_EQ(gaps_of(options, "java", Beginning::while_it_runs).size() + 1, all.size());
  options.filters = {"*"};
  EXPECT_EQ(gaps_of(options, "java", Beginning::with_program).size() + 1, all.size());
  options.events = {"+jit"};
  EXPECT_TRUE(gaps_of(options, "java", Beginning::with_program).empty());
  complete_events(options, "java");
  EXPECT_EQ(kinds_of(options), "calls,threads,gc,monitors,alloc=sampled,jit,");
}

TEST(agent_options, take_the_last_word_about_each_kind) {
  const auto completed = [](std::vector<std::string> events) {
    AgentOptions options;
    options.events = std::move(events);
    complete_events(options, "java");
    return kinds_of(options);
  };
  EXPECT_EQ(completed({"+alloc=sites"}), "calls,threads,gc,monitors,alloc=sites,");
  EXPECT_EQ(completed({"+alloc=sites", "+jit"}), "calls,threads,gc,monitors,alloc=sites,jit,");
  EXPECT_EQ(completed({"alloc=objects+gc", "alloc"}), "gc,alloc,");
}

TEST(record, is_prepared_without_touching_what_is_there) {
  const TemporaryFolder folder;
  RecordQuestion question = question_in(folder);
  folder.write("a.ptrace", "whole");
  const auto refused = prepare_recording(question);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::output_exists);
  EXPECT_EQ(content_of(folder.file("a.ptrace")), "whole");
  question.recording.force = true;
  const auto prepared = prepare_recording(question);
  ASSERT_TRUE(prepared.has_value());
  EXPECT_FALSE(fs::exists(folder.file("a.ptrace")));
  EXPECT_EQ(prepared->launch.words,
            (std::vector<std::string>{
                "/bin/true",
                "--profile=polytrace:file=" + folder.file("a.ptrace") +
                    ",events=calls+threads+gc+monitors+exceptions+alloc=sampled,limit=4g",
                "app.exe", "1"}));
}

TEST(record, of_another_format_goes_through_a_stream) {
  const TemporaryFolder folder;
  RecordQuestion question = question_in(folder);
  question.recording.output = folder.file("a.mlpd");
  const auto prepared = prepare_recording(question);
  ASSERT_TRUE(prepared.has_value());
  EXPECT_EQ(prepared->plan.to, "mlpd");
  EXPECT_EQ(prepared->plan.stream, folder.file("a.mlpd.ptrace"));
}

TEST(record, runs_a_program_to_its_end_and_asks_once_to_stop) {
  const TemporaryFolder folder;
  PreparedRecording prepared;
  prepared.plan.stream = folder.file("a.ptrace");
  prepared.launch.words = {"/bin/sleep", "1000"};
  auto program = RecordedProgram::start(prepared, false);
  ASSERT_TRUE(program.has_value());
  int asked = 0;
  const RecordingEnd end =
      watch_recording(program->plan(), {[&] { return program->ended(); }, [] { return true; },
                                        [&] {
                                          ++asked;
                                          program->signal(SIGTERM);
                                        },
                                        [](LiveStatus&, double) {}});
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(program->ending().signal, SIGTERM);
  EXPECT_EQ(program->ending().code, 128 + SIGTERM);
  EXPECT_FALSE(end.figures.has_value());
  EXPECT_TRUE(program->others().empty());
}

TEST(record, of_a_process_has_its_number_where_others_are_recorded) {
  const TemporaryFolder folder;
  folder.write("a.17.ptrace", "from before");
  PreparedRecording prepared;
  prepared.children = true;
  prepared.plan.stream = prepared.plan.output = folder.file("a.ptrace");
  prepared.launch.words = {"/bin/true"};
  auto program = RecordedProgram::start(prepared, false);
  ASSERT_TRUE(program.has_value());
  while (!program->ended()) {
  }
  EXPECT_EQ(program->ending().code, 0);
  const std::string own = std::to_string(program->process());
  EXPECT_EQ(program->plan().stream, folder.file("a." + own + ".ptrace"));
  folder.write("a." + own + ".ptrace", "");
  folder.write("a.18.ptrace", "");
  const auto others = program->others();
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others.front().plan.output, folder.file("a.18.ptrace"));
}

TEST(record, that_nobody_made_has_a_cause) {
  const TemporaryFolder folder;
  RecordingPlan plan;
  plan.stream = folder.file("a.ptrace");
  plan.runtime = "mono";
  plan.arguments = {folder.file("no.exe")};
  const auto missing = find_missing(plan);
  ASSERT_TRUE(missing.has_value());
  EXPECT_EQ(missing->cause, "there is no " + folder.file("no.exe"));
  folder.write("a.ptrace", std::string(sizeof(format::native::StreamHeader), '\0'));
  EXPECT_FALSE(find_missing(plan).has_value());
}

TEST(record, gives_its_stream_away_only_for_a_whole_output) {
  for (const int code : {0, 4, 3}) {
    const TemporaryFolder folder;
    RecordingPlan plan;
    plan.output = folder.file("a.mlpd");
    plan.stream = folder.write("a.mlpd.ptrace", "stream");
    folder.write("a.mlpd.ptrace.segments", "memory");
    RecordingEnd end;
    const LeftRecording left = look_at(plan, end);
    EXPECT_EQ(left.next, LeftRecording::Next::convert);
    EXPECT_TRUE(left.adds_memory);
    int calls = 0;
    const auto done = complete_recording(
        plan, left,
        [&](const RecordingPlan& told) -> base::result<int> {
          EXPECT_EQ(told.stream, plan.stream);
          ++calls;
          return code;
        },
        end);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(done.code, code);
    EXPECT_EQ(done.is_there(), code != 3);
    EXPECT_EQ(fs::exists(plan.stream), code == 3);
    EXPECT_EQ(fs::exists(plan.stream + ".segments"), code == 3);
  }
}

TEST(record, keeps_both_files_where_the_disk_is_full) {
  const TemporaryFolder folder;
  RecordingPlan plan;
  plan.output = plan.stream = folder.write("a.ptrace", "stream");
  folder.write("a.ptrace.segments", "memory");
  RecordingEnd end;
  EXPECT_EQ(look_at(plan, end).next, LeftRecording::Next::add_memory);
  end.figures = RecordingFigures{.cut = agent::Cut::output};
  const LeftRecording left = look_at(plan, end);
  EXPECT_EQ(left.next, LeftRecording::Next::keep_both);
  EXPECT_FALSE(left.adds_memory);
  EXPECT_EQ(complete_recording(plan, left, {}, end).code, 0);
  const auto json = parsed(record_json(plan, end, left, 4));
  EXPECT_EQ(json["clean_end"], false);
  EXPECT_EQ(json["cut_off"], "output");
}

TEST(checkup, tells_its_findings_as_json) {
  const Checkup checkup = check_machine();
  const auto json = parsed(doctor_json(checkup));
  EXPECT_EQ(json["can_record"], checkup.can_record);
  EXPECT_EQ(json["runtimes"].size(), checkup.runtimes.size());
  ASSERT_EQ(json["findings"].size(), checkup.findings.size());
  EXPECT_EQ(json["findings"].back()["topic"], checkup.findings.back().topic);
  const auto is_control = [](const auto& finding) { return finding["topic"] == "Control"; };
  EXPECT_TRUE(std::ranges::any_of(json["findings"], is_control));
}

TEST(control, refuses_what_it_cannot_say) {
  struct Case {
    std::string command;
    std::vector<std::string> arguments;
    std::string_view why;
  };
  for (const auto& [command, arguments, why] : std::vector<Case>{
           {"stat", {}, "no command \"stat\"; did you mean \"status\"?"},
           {"stop", {"now"}, "stop takes no \"now\""},
           {"annotate", {}, "annotate needs an argument"},
           {"start",
            {"speed=3"},
            "start takes events=, duration=, limit=, session=; not \"speed=3\""},
           {"start", {"limit=much"}, "\"limit=much\" says no limit; one is limit=100m"}}) {
    const auto steered = steer({"1", command, arguments});
    ASSERT_FALSE(steered.has_value()) << command;
    EXPECT_EQ(steered.error().error.code, Code::usage);
    EXPECT_EQ(steered.error().error.detail, why);
  }
  const auto nobody = steer({"/no/such/socket", "status"});
  ASSERT_FALSE(nobody.has_value());
  EXPECT_EQ(nobody.error().file, "/no/such/socket");
}

}  // namespace
}  // namespace polytrace::service::test
