// SPDX-License-Identifier: Apache-2.0
// Questions that need no process: structs in, tables and their JSON out.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/codes.hpp"
#include "service/ask/contents.hpp"
#include "service/ask/diff.hpp"
#include "service/ask/events.hpp"
#include "service/ask/heap.hpp"
#include "service/ask/report.hpp"
#include "service/example.hpp"

namespace polytrace::service::test {
namespace {

TEST(report, answers_every_section_or_says_why_not) {
  for (const analysis::Section& section : analysis::sections()) {
    if (section.key == "suspects") continue;  // that there are none is an answer
    Input input({.file = example()});
    const auto answer = ask_report(input, {.sections = std::string(section.key)});
    ASSERT_TRUE(answer.has_value()) << section.key;
    const bool has_rows = std::ranges::any_of(
        answer->tables, [](const analysis::Table& table) { return !table.rows.empty(); });
    EXPECT_NE(has_rows, !answer->empty.empty()) << section.key;
  }
}

TEST(report, tells_its_tables_as_json) {
  Input input({.file = example()});
  const auto answer = ask_report(input, {.sections = "calls", .table = {"", 5}});
  ASSERT_TRUE(answer.has_value());
  const auto json = parsed(report_json(*answer));
  EXPECT_EQ(json["schema"], "polytrace.report/1");
  EXPECT_EQ(json["file"], example());
  EXPECT_EQ(json["partial"], false);
  ASSERT_EQ(json["tables"].size(), answer->tables.size());
  EXPECT_EQ(json["tables"][0]["rows"].size(), answer->tables.front().rows.size());
  EXPECT_LE(answer->tables.front().rows.size(), 5U);
}

TEST(report, counts_less_of_a_part) {
  const auto calls_in = [](const SelectionOptions& selection) {
    Input input({.file = example()});
    const auto answer = ask_report(input, {.sections = "calls", .selection = selection});
    EXPECT_TRUE(answer.has_value());
    return answer->tables.front().rows.size() + answer->tables.front().rows_left_out;
  };
  EXPECT_LT(calls_in({.from = "99%"}), calls_in({}));
}

TEST(report, says_of_a_stopped_pass_that_it_is_partial) {
  Input input({.file = example()}, stopped());
  const auto answer = ask_report(input, {});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(parsed(report_json(*answer))["interrupted"], true);
}

TEST(report, refuses_with_what_it_is_about) {
  Input missing({.file = recording("no such file")});
  const auto no_file = ask_report(missing, {});
  ASSERT_FALSE(no_file.has_value());
  EXPECT_EQ(no_file.error().error.code, base::Code::open_failed);
  EXPECT_EQ(no_file.error().file, missing.name());
  Input input({.file = example()});
  const auto no_section = ask_report(input, {.sections = "call"});
  ASSERT_FALSE(no_section.has_value());
  EXPECT_EQ(no_section.error().error.code, base::Code::usage);
  EXPECT_EQ(no_section.error().file, "");
}

TEST(columns, are_left_in_the_order_that_was_asked_for) {
  Input input({.file = example()});
  auto answer = ask_report(input, {.sections = "calls"});
  ASSERT_TRUE(answer.has_value());
  ASSERT_TRUE(choose_columns(answer->tables, "", "self,method").has_value());
  ASSERT_FALSE(answer->tables.empty());
  EXPECT_EQ(answer->tables.front().columns.front().key, "self");
  EXPECT_FALSE(choose_columns(answer->tables, "", "nothing").has_value());
}

TEST(heap, tells_classes_and_paths_of_a_snapshot) {
  const Input input({.file = recording("mlpd/heapshot.mlpd.gz")});
  using What = HeapQuestion::What;
  const auto classes = ask_heap(input, {.what = What::classes, .table = {"", 3}});
  ASSERT_TRUE(classes.has_value());
  EXPECT_EQ(classes->tables.front().rows.size(), 3U);
  const auto path = ask_heap(input, {.what = What::path, .subject = "System.String"});
  ASSERT_TRUE(path.has_value());
  EXPECT_FALSE(path->tables.front().rows.empty());
  const auto nobody = ask_heap(input, {.what = What::path, .subject = "No.Such.Class"});
  ASSERT_FALSE(nobody.has_value());
  EXPECT_EQ(nobody.error().file, input.name());
}

TEST(heap, tells_how_to_ask_about_another_class_in_the_words_of_the_front_end) {
  const Input input({.file = recording("mlpd/heapshot.mlpd.gz")});
  HeapQuestion question{.what = HeapQuestion::What::referrers, .subject = "Syst"};
  question.ask_other = [](const std::string& other) { return "<" + other + ">"; };
  const auto answer = ask_heap(input, question);
  ASSERT_TRUE(answer.has_value());
  const auto& notes = answer->tables.back().notes;
  EXPECT_TRUE(std::ranges::any_of(
      notes, [](const std::string& note) { return note.find("<System") != note.npos; }));
}

TEST(heap, grows_between_two_files_as_it_does_within_one) {
  const std::string file = recording("mlpd/heapshot.mlpd.gz");
  const auto within = ask_growth({.after = file, .from = 0, .to = 1}, Asking{});
  ASSERT_TRUE(within.has_value());
  EXPECT_FALSE(within->before.has_value());
  const auto between = ask_growth({.before = file, .after = file, .from = 0, .to = 1}, Asking{});
  ASSERT_TRUE(between.has_value());
  ASSERT_TRUE(between->before.has_value());
  EXPECT_FALSE(within->tables.front().rows.empty());
  EXPECT_EQ(within->tables.front().rows, between->tables.front().rows);
}

TEST(diff, finds_nothing_between_a_trace_and_itself) {
  const auto answer =
      ask_diff({.before = {example()}, .after = {example()}, .fail_over = 0.0}, Asking{});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->failures.empty());
  const auto json = parsed(diff_json(*answer));
  EXPECT_EQ(json["failed"], false);
  EXPECT_EQ(json["before"][0]["file"], example());
}

TEST(contents, say_what_a_trace_is) {
  const Input input({.file = example()});
  const auto contents = ask_contents(input);
  ASSERT_TRUE(contents.has_value());
  EXPECT_EQ(verdict(*contents), "ok");
  EXPECT_TRUE(is_whole(*contents, Strictness::strict));
  EXPECT_EQ(parsed(info_json(*contents))["events"]["total"], contents->overview.total());
  EXPECT_EQ(parsed(check_json(*contents, Strictness::strict))["ok"], true);
}

TEST(events, come_as_lines_until_there_are_enough) {
  Input input({.file = example()});
  std::string text;
  int drained = 0;
  const auto answer =
      ask_events(input, {.kinds = "enter", .form = EventsQuestion::Form::json_lines, .limit = 3},
                 {text, [&] { return ++drained > 0; }});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_EQ(parsed(text.substr(0, text.find('\n')))["kind"], "enter");
}

}  // namespace
}  // namespace polytrace::service::test
