// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/codes.hpp"
#include "service/ask/contents.hpp"
#include "service/convert/conversion.hpp"
#include "service/convert/export_run.hpp"
#include "service/example.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::service::test {
namespace {

using polytrace::test::content_of;
using polytrace::test::TemporaryFolder;

std::uint64_t events_in(const std::string& file) {
  const Input input({.file = file});
  const auto contents = ask_contents(input);
  EXPECT_TRUE(contents.has_value());
  return contents ? contents->overview.total() : 0;
}

TEST(convert, writes_a_file_and_tells_what_was_lost) {
  const TemporaryFolder folder;
  const Input input({.file = example()});
  const auto done = convert(input, {.output = folder.file("copy.ptrace")});
  ASSERT_TRUE(done.has_value());
  EXPECT_TRUE(done->written);
  EXPECT_EQ(done->unit, "events");
  EXPECT_EQ(done->kept(), events_in(folder.file("copy.ptrace")));
  const auto json = parsed(convert_json(*done));
  EXPECT_EQ(json["output"]["format"], "native");
  EXPECT_EQ(json["events_lost"], done->events_lost());
}

TEST(convert, leaves_a_whole_file_alone_where_it_is_stopped) {
  const TemporaryFolder folder;
  const std::string old = folder.write("old.ptrace", "whole");
  const Input input({.file = example()}, stopped());
  const auto done = convert(input, {.output = old, .force = true});
  ASSERT_TRUE(done.has_value());
  EXPECT_FALSE(done->written);
  EXPECT_EQ(content_of(old), "whole");
}

TEST(convert, refuses_what_it_cannot_read_or_write) {
  const TemporaryFolder folder;
  const Input missing({.file = folder.file("nothing.mlpd")});
  const auto unread = convert(missing, {.output = folder.file("out.mlpd")});
  ASSERT_FALSE(unread.has_value());
  EXPECT_EQ(unread.error().file, missing.name());
  const Input input({.file = example()});
  const std::string old = folder.write("old.mlpd", "whole");
  const auto unwritten = convert(input, {.output = old});
  ASSERT_FALSE(unwritten.has_value());
  EXPECT_EQ(unwritten.error().error.code, base::Code::output_exists);
  EXPECT_EQ(unwritten.error().file, old);
}

TEST(cut, keeps_a_part_with_its_calls_in_pairs) {
  const TemporaryFolder folder;
  Input input({.file = example()});
  const CutAnswer answer =
      cut(input, {.selection = {.from = "40%", .to = "60%"}}, {.output = folder.file("a.ptrace")});
  ASSERT_TRUE(answer.conversion.has_value());
  EXPECT_LT(events_in(folder.file("a.ptrace")), events_in(example()));
}

TEST(merge, holds_the_events_of_all_files) {
  const TemporaryFolder folder;
  const auto done = merge({.files = {example(), example("shop.trcxml")}},
                          {.output = folder.file("both.ptrace")}, Asking{});
  ASSERT_TRUE(done.has_value());
  // Two clocks became one.
  EXPECT_EQ(events_in(folder.file("both.ptrace")),
            events_in(example()) + events_in(example("shop.trcxml")) - 1);
}

TEST(export_run, writes_a_profile) {
  const TemporaryFolder folder;
  Input input({.file = example()});
  const auto request = make_request(input, {}, {.weight = "calls"});
  ASSERT_TRUE(request.has_value());
  ExportRun run(input, *request);
  const std::string file = folder.file("a.folded");
  ASSERT_TRUE(run.add(*exports::find_target("folded"), file, false).has_value());
  const auto done = run.run();
  ASSERT_TRUE(done.has_value());
  EXPECT_TRUE(done->written);
  EXPECT_FALSE(content_of(file).empty());
  const auto json = parsed(export_json(*done));
  EXPECT_EQ(json["outputs"][0]["file"], file);
  EXPECT_EQ(json["outputs"][0]["total"], total_of(done->outputs.front().result));
}

TEST(flame, has_the_stacks_of_the_trace_whatever_it_is_compared_with) {
  const TemporaryFolder folder;
  const auto folded = [&](const std::string& base, const std::string& name) {
    Input input({.file = example()});
    const std::string file = folder.file(name);
    const FlameAnswer answer = export_flame(
        input,
        {.form = FlameQuestion::Form::folded, .base = base, .exact_names = true, .output = file});
    EXPECT_EQ(answer.before.has_value(), !base.empty());
    EXPECT_TRUE(answer.made.has_value() && answer.made->written);
    return content_of(file);
  };
  const std::string alone = folded("", "alone");
  EXPECT_FALSE(alone.empty());
  EXPECT_EQ(folded(example(), "compared"), alone);
}

TEST(flame, refuses_to_compare_threads) {
  Input input({.file = example()});
  const FlameAnswer answer = export_flame(
      input, {.form = FlameQuestion::Form::page_by_thread, .base = example(), .output = "-"});
  ASSERT_FALSE(answer.made.has_value());
  EXPECT_EQ(answer.made.error().error.code, base::Code::usage);
  EXPECT_FALSE(answer.before.has_value());
}

}  // namespace
}  // namespace polytrace::service::test
