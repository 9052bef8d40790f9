// SPDX-License-Identifier: Apache-2.0
#include "agent/common/stream/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "agent/common/recording.hpp"
#include "agent/common/stream/converter.hpp"

namespace polytrace::test {
namespace {

using testing::HasSubstr;

TEST(output, names_may_tell_process_and_time) {
  EXPECT_EQ(agent::expanded_name("a-%p%%p.x%"), "a-" + std::to_string(getpid()) + "%p.x%");
  EXPECT_EQ(agent::expanded_name("%t").size(), std::string("20260131-235959").size());
}

TEST(output, without_a_name_it_has_the_ending_of_its_format) {
  const std::pair<const char*, const char*> kEndings[] = {
      {"native", "ptrace"},      {"tbf", "trcbin"},
      {"trcxml", "trcxml"},      {"mlpd", "mlpd"},
      {"mlpd:1", "mlpd"},        {"monoblock", "mprof"},
      {"tracelog", "trace.log"}, {"tracelog:later", "trace.log"}};
  for (const auto& [format, ending] : kEndings)
    EXPECT_EQ(agent::default_name(format), std::string("polytrace-%p.") + ending);
}

// A stand-in for the program: what it is told, and what it is given.
std::string write_converter(const TemporaryFolder& folder, const char* end) {
  std::string script = "#!/bin/sh\nfor last; do :; done\necho \"$@\" > \"$last.arguments\"\n";
  script += "echo \"$POLYTRACE_AGENT\" >> \"$last.arguments\"\ncat > \"$last\"\n";
  script += "head -c 8 /dev/fd/3 > \"$last.left\"\n";
  const std::string path = folder.write("converter", script + end);
  chmod(path.c_str(), 0700);
  return path;
}

TEST(output, another_format_is_made_by_a_converter) {
  const TemporaryFolder folder;
  const std::string file = folder.file("trace.tbf");
  Recording recording("format=tbf,file=" + file +
                      ",converter=" + write_converter(folder, "exit 0\n"));
  ASSERT_TRUE(recording.started());
  std::thread([] {
    for (std::uint32_t i = 1; i <= 200'000; ++i) agent::enter(i);
  }).join();
  EXPECT_TRUE(recording.stop());
  const Recorded recorded = read_recording(file);
  EXPECT_EQ(recorded.fault, "");
  EXPECT_TRUE(recorded.ended);
  EXPECT_EQ(recorded.count(Recorded::Event::kEnter), 200'000U);
  EXPECT_EQ(
      content_of(file + ".arguments"),
      "convert - --segments /dev/fd/3 --to tbf --leave-open --private -o " + file + "\noff\n");
  EXPECT_EQ(content_of(file + ".left"), "\x89PTSEGS\n");
}

TEST(output, a_converter_that_fails_is_told) {
  const TemporaryFolder folder;
  Recording recording("format=tbf,file=" + folder.file("trace.tbf") +
                      ",converter=" + write_converter(folder, "exit 3\n"));
  agent::enter(1);
  agent::end_thread();
  EXPECT_FALSE(recording.stop());
  EXPECT_EQ(agent::Recorder::the().state(), agent::State::failed);
}

TEST(output, without_a_converter_recording_does_not_start) {
  const TemporaryFolder folder;
  agent::Faults faults;
  agent::Options options =
      agent::parse_options("format=mlpd,converter=/no/such,file=" + folder.file("x"), faults);
  EXPECT_FALSE(agent::Recorder::the().start(options, faults));
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(faults[0], HasSubstr("polytrace was not found"));
  EXPECT_EQ(folder.entries(), 0U);
}

}  // namespace
}  // namespace polytrace::test
