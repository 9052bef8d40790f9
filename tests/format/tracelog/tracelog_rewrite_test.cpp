// SPDX-License-Identifier: Apache-2.0
// Logs that are spelled as they are written come back byte for byte.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/codes.hpp"
#include "format/samples.hpp"
#include "format/whole.hpp"

namespace polytrace::format::test {
namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Texts {
  std::string log;
  std::string rewritten;
};

Texts rewrite_log(std::string_view name, std::string_view version) {
  const auto all = samples("tracelog", ".trace.log");
  const auto found = std::ranges::find(all, name, &Sample::name);
  const auto bytes = content(*found);
  const auto written = write_lines(*find_format("tracelog"), version, read_whole(bytes).lines);
  EXPECT_TRUE(written);
  EXPECT_EQ(written->loss.total(), 0U);
  return {text_of(bytes), text_of(written->bytes)};
}

std::vector<std::string> lines_but_stacks(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, 7, "sam str") != 0) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(tracelog_rewrite, gives_the_same_bytes) {
  const Texts texts = rewrite_log("instr64", "seed");
  EXPECT_TRUE(texts.rewritten == texts.log);
}

// Its stacks tell some frames again as they were.
TEST(tracelog_rewrite, gives_the_same_lines_where_stacks_are_told_at_length) {
  const Texts texts = rewrite_log("app64", "seed");
  EXPECT_EQ(lines_but_stacks(texts.rewritten), lines_but_stacks(texts.log));
}

// What a dialect can hold comes back from it; what it cannot was told, and is not there to be lost
// again.
TEST(tracelog_rewrite, every_dialect_gives_back_what_it_holds) {
  const Format& format = *find_format("tracelog");
  for (const Sample& sample : samples("tracelog", ".trace.log")) {
    const auto lines = read_whole(content(sample)).lines;
    for (const std::string_view version : format.write_versions) {
      SCOPED_TRACE(std::string(sample.name) + " as " + std::string(version));
      const auto once = write_lines(format, version, lines);
      ASSERT_TRUE(once);
      const Whole back = read_whole(once->bytes);
      EXPECT_EQ(back.notices.bytes_lost(), 0U);
      if (once->loss.total() == 0) {
        EXPECT_EQ(back.lines, lines);
      }
      const auto twice = write_lines(format, version, back.lines);
      ASSERT_TRUE(twice);
      EXPECT_EQ(twice->loss.total(), 0U);
      EXPECT_EQ(text_of(twice->bytes), text_of(once->bytes));
      EXPECT_EQ(back.version, version);
    }
  }
}

std::string written_text(const std::vector<std::string>& lines) {
  const auto log = write_lines(*find_format("tracelog"), "seed", lines);
  return log ? text_of(log->bytes) : "";
}

TEST(tracelog_rewrite, a_sample_without_a_weight_is_one) {
  EXPECT_EQ(written_text({"5000000 - sample thread=0x1 stack=[0x2]",
                          "6000000 - sample thread=0x1 mode=change stack=[]"}),
            "sam str 0x00000001 5 1 0:0 0x2\nsam str 0x00000001 6 0 0:1\n");
}

TEST(tracelog_rewrite, absolute_times_begin_at_the_clock) {
  EXPECT_EQ(written_text({"1185890426000081844 - clock wall=1185890426000081844",
                          "1185890426005000000 - recording stage=pause"}),
            "prf stm 2007-07-31 14:00:26.000\nprf tps 5\n");
}

TEST(tracelog_rewrite, refuses_a_version_that_is_none) {
  std::vector<std::byte> bytes;
  const auto writer =
      find_format("tracelog")->create(base::memory_sink(bytes), {std::string("latest")});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, base::Code::version_unsupported);
}

// A line that is too long costs itself only, however the input is cut.
TEST(tracelog_limits, a_line_beyond_the_limit_is_left_out) {
  const std::string log =
      "prc cpu 1 2\ncls nam 0x1 \"" + std::string(100, 'x') + "\"\nprc cpu 3 4\n";
  for (const std::size_t step : {0U, 1U, 7U, 64U}) {
    const auto all = std::as_bytes(std::span(log));
    event::ReadOptions options;
    options.limits.frame_bytes = 50;
    auto reader =
        find_format("tracelog")->open(base::memory_source({all.begin(), all.end()}, step), options);
    ASSERT_TRUE(reader);
    event::Batch batch;
    std::size_t events = 0;
    while (*(*reader)->next(batch)) events += batch.events.size();
    EXPECT_EQ(events, 2U);
    const base::Notice* const notice = (*reader)->notices().find(base::Code::line_malformed);
    ASSERT_NE(notice, nullptr);
    EXPECT_EQ(notice->first.line, 2U);
    EXPECT_EQ(notice->bytes, 13U + 100U + 2U);
  }
}

}  // namespace
}  // namespace polytrace::format::test
