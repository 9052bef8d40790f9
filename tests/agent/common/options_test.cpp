// SPDX-License-Identifier: Apache-2.0
#include "agent/common/options/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "support/temporary_folder.hpp"

namespace polytrace::test {
namespace {

using agent::AllocMode;
using agent::Faults;
using agent::Options;
using agent::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Options parsed(std::string_view text) {
  Faults faults;
  Options options = agent::parse_options(text, faults);
  EXPECT_THAT(faults, IsEmpty()) << text;
  return options;
}

Faults faults_of(std::string_view text) {
  Faults faults;
  agent::parse_options(text, faults);
  return faults;
}

TEST(options, have_defaults) {
  const Options options = parsed("");
  EXPECT_TRUE(options.events.calls);
  EXPECT_EQ(options.format, "native");
  EXPECT_EQ(options.policy, agent::Policy::block);
  EXPECT_EQ(options.buffer, std::uint64_t{64} << 20);
  EXPECT_FALSE(options.off);
}

TEST(options, are_read_with_their_units) {
  const Options options =
      parsed("file=a=b.ptrace,policy=drop,buffer=8m,flush=2s,clock=tsc,paused,format=xml");
  EXPECT_EQ(options.file, "a=b.ptrace");
  EXPECT_EQ(options.policy, agent::Policy::drop);
  EXPECT_EQ(options.buffer, std::uint64_t{8} << 20);
  EXPECT_EQ(options.flush, 2'000U);
  EXPECT_EQ(options.clock, agent::ClockChoice::counter);
  EXPECT_TRUE(options.paused);
  EXPECT_EQ(options.format, "trcxml");
}

// Which formats there are is for who makes them to say.
TEST(options, take_any_name_of_a_format) {
  EXPECT_EQ(parsed("format=binary").format, "tbf");
  EXPECT_EQ(parsed("format=block").format, "monoblock");
  EXPECT_EQ(parsed("format=tracelog:later").format, "tracelog:later");
  EXPECT_EQ(parsed("format=of-tomorrow").format, "of-tomorrow");
  EXPECT_EQ(faults_of("format=").size(), 1U);
}

TEST(options, say_how_large_and_how_full) {
  EXPECT_EQ(parsed("").limit, 0U);
  EXPECT_EQ(parsed("").min_free, agent::kAuto);
  EXPECT_EQ(parsed("limit=4g").limit, std::uint64_t{4} << 30);
  EXPECT_EQ(parsed("limit=4GiB,limit=none").limit, 0U);
  EXPECT_EQ(parsed("limit=3MB,min-free=1KiB").limit, std::uint64_t{3} << 20);
  EXPECT_EQ(parsed("min-free=1KiB").min_free, 1024U);
  EXPECT_EQ(parsed("min-free=1g,min-free=auto").min_free, agent::kAuto);
  std::uint64_t bytes = 0;
  for (const char* const wrong : {"", "g", "4 g", "4x", "4gi", "-1", "17179869184g"})
    EXPECT_FALSE(agent::parse_size(wrong, bytes)) << wrong;
}

TEST(options, choose_events) {
  const Options options = parsed("events=calls+alloc=sampled:256k+monitors+samples=5ms");
  EXPECT_TRUE(options.events.calls);
  EXPECT_TRUE(options.events.monitors);
  EXPECT_FALSE(options.events.gc);
  EXPECT_FALSE(options.events.threads);
  EXPECT_EQ(options.events.alloc, AllocMode::sampled);
  EXPECT_EQ(options.events.alloc_interval, 256U * 1024);
  EXPECT_EQ(options.events.sample_interval, 5'000'000U);
  EXPECT_EQ(parsed("events=alloc=sites").events.alloc, AllocMode::sites);
  EXPECT_EQ(parsed("events=alloc").events.alloc, AllocMode::sampled);
}

TEST(options, lists_go_on_behind_commas) {
  const Options options = parsed("filter=com.acme.*,-com.acme.gen.*,-*Test,policy=ring");
  EXPECT_EQ(options.policy, agent::Policy::ring);
  EXPECT_TRUE(options.filters.includes("com.acme.Main", "run"));
  EXPECT_FALSE(options.filters.includes("com.acme.gen.Main", "run"));
  EXPECT_FALSE(options.filters.includes("com.acme.MainTest", "run"));
  EXPECT_FALSE(options.filters.includes("java.lang.String", "length"));
}

TEST(options, of_a_runtime_are_left_to_it) {
  EXPECT_THAT(parsed("jvm.method=jvmti,mono.x=1").others,
              ElementsAre(Pair("jvm.method", "jvmti"), Pair("mono.x", "1")));
}

TEST(options, faults_are_told_and_the_rest_holds) {
  Faults faults;
  const Options options = agent::parse_options(
      "polisy=drop,policy=none,buffer=8q,buffer=99999999999g,events=calls+noise,flush=2s", faults);
  ASSERT_EQ(faults.size(), 6U);
  EXPECT_THAT(faults[0], HasSubstr("polisy"));
  EXPECT_THAT(faults[1], HasSubstr("block|drop|ring"));
  EXPECT_THAT(faults[4], HasSubstr("noise"));
  EXPECT_EQ(options.policy, agent::Policy::block);
  EXPECT_EQ(options.buffer, std::uint64_t{64} << 20);
  EXPECT_EQ(options.flush, 2'000U);
}

TEST(options, the_environment_turns_the_agent_off) {
  setenv("POLYTRACE_AGENT", "off", 1);
  EXPECT_TRUE(parsed("file=x").off);
  setenv("POLYTRACE_AGENT", "on", 1);
  EXPECT_FALSE(parsed("file=x").off);
  unsetenv("POLYTRACE_AGENT");
}

TEST(options, understand_tptp) {
  const Options calls = parsed("JPIAgent:server=standalone,file=a.trcxml;CGProf:execdetails=true");
  EXPECT_EQ(calls.file, "a.trcxml");
  EXPECT_TRUE(calls.events.calls);
  EXPECT_EQ(calls.mode, agent::Mode::events);
  EXPECT_EQ(parsed("CGProf").mode, agent::Mode::summary);
  const Options heap = parsed("JPIAgent:server=controlled;HeapProf:allocsites=true;ThreadProf");
  EXPECT_EQ(heap.server, agent::Server::controlled);
  EXPECT_FALSE(heap.events.calls);
  EXPECT_TRUE(heap.events.gc);
  EXPECT_TRUE(heap.events.monitors);
  EXPECT_EQ(heap.events.alloc, AllocMode::objects);
  EXPECT_EQ(faults_of("CGProf:nonsense=1").size(), 1U);
}

TEST(options, read_tptp_files) {
  const TemporaryFolder folder;
  const std::string profile =
      folder.write("profile", "* a comment\nTRACK_GC_EVENT_TYPES = none\r\n\nTICKET=true\nodd\n");
  const std::string filters = folder.write(
      "filters",
      "# ours\ncom.acme.* main INCLUDE\ncom.acme.*\t*  exclude\nbroken line\n* * INCLUDE\n");
  Faults faults;
  const Options options =
      agent::parse_options("profile=" + profile + ",filters=" + filters, faults);
  EXPECT_EQ(faults.size(), 2U);
  EXPECT_FALSE(options.events.gc);
  EXPECT_THAT(options.settings[0], Pair("TRACK_GC_EVENT_TYPES", "none"));
  EXPECT_THAT(options.settings[1], Pair("TICKET", "true"));
  EXPECT_TRUE(options.filters.includes("com.acme.A", "main"));
  EXPECT_FALSE(options.filters.includes("com.acme.A", "run"));
  EXPECT_TRUE(options.filters.includes("org.A", "run"));
  EXPECT_EQ(faults_of("filters=/no/such/file").size(), 1U);
}

TEST(options, secrets_are_not_told) {
  EXPECT_EQ(agent::redacted("java -Ddb.password=geheim -jar a.jar --token abc x key=1,file=b"),
            "java -Ddb.password=*** -jar a.jar --token *** x key=***,file=b");
  EXPECT_EQ(agent::redacted("file=a.ptrace,policy=drop"), "file=a.ptrace,policy=drop");
}

TEST(options, each_row_is_in_the_help_and_named_once) {
  const std::string help = agent::option_help();
  std::set<std::string_view> names;
  for (const agent::OptionRow& row : agent::option_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_THAT(help, HasSubstr(std::string(row.name)));
    // A fallback is a value that the option takes.
    if (row.fallback.empty() || row.name == "file") continue;
    EXPECT_THAT(faults_of(std::string(row.name) + "=" + std::string(row.fallback)), IsEmpty());
  }
}

// --- filters ------------------------------------------------------------------------------------

TEST(filters, the_first_rule_that_matches_decides) {
  agent::Filters filters;
  Faults faults;
  filters.add_lines("a.B run INCLUDE\na.* * EXCLUDE\n*.C go* INCLUDE\n*.C * EXCLUDE", faults);
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_TRUE(filters.includes("a.B", "run"));
  EXPECT_FALSE(filters.includes("a.B", "walk"));
  EXPECT_FALSE(filters.includes("a.C", "go"));
  EXPECT_TRUE(filters.includes("b.C", "gone"));
  EXPECT_FALSE(filters.includes("b.C", "stay"));
  EXPECT_TRUE(filters.includes("b.D", "any"));
}

TEST(filters, tell_of_a_class_what_its_methods_may_be) {
  agent::Filters filters;
  Faults faults;
  filters.add_lines("a.B run INCLUDE\na.* * EXCLUDE\nb.* get* EXCLUDE\nc.* * INCLUDE", faults);
  EXPECT_EQ(filters.verdict("a.B"), Verdict::some);
  EXPECT_EQ(filters.verdict("a.C"), Verdict::none);
  EXPECT_EQ(filters.verdict("b.C"), Verdict::some);
  EXPECT_EQ(filters.verdict("c.C"), Verdict::all);
  EXPECT_EQ(filters.verdict("d.D"), Verdict::all);
}

TEST(filters, have_bounds) {
  agent::Filters filters;
  Faults faults;
  std::string lines;
  for (std::size_t i = 0; i <= agent::kMostRules; ++i) lines += "a b INCLUDE\n";
  filters.add_lines(lines, faults);
  EXPECT_EQ(filters.rules().size(), agent::kMostRules);
  EXPECT_EQ(faults.size(), 1U);
  agent::Filters others;
  Faults other_faults;
  others.add_lines("a*b * INCLUDE\n" + std::string(1'025, 'a') + " * INCLUDE\n", other_faults);
  EXPECT_TRUE(others.empty());
  EXPECT_EQ(other_faults.size(), 2U);
}

TEST(filters, methods_in_the_short_form) {
  agent::Filters filters;
  Faults faults;
  filters.add_short("com.acme.Main:run*,-com.acme.Main:runner", faults);
  EXPECT_TRUE(filters.includes("com.acme.Main", "runs"));
  EXPECT_FALSE(filters.includes("com.acme.Main", "runner"));
  EXPECT_FALSE(filters.includes("com.acme.Main", "main"));
  agent::Filters without;
  without.add_short("-com.*", faults);
  EXPECT_TRUE(without.includes("org.Main", "main"));
  EXPECT_THAT(faults, IsEmpty());
}

}  // namespace
}  // namespace polytrace::test
