// SPDX-License-Identifier: Apache-2.0
#include "service/states/history_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/codes.hpp"
#include "service/example.hpp"
#include "service/states/ask_state.hpp"
#include "service/states/query.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::service::test {
namespace {

using base::Code;
using polytrace::test::content_of;
using polytrace::test::TemporaryFolder;

constexpr std::string_view kRows =
    "path,start,end,type,value\n"
    "a,0,9,int,1\n"
    "a,10,20,int,2\n"
    "b,5,20,string,x\n";

// A history of these rows, in a folder of its own.
class Rows {
 public:
  Rows() {
    const ImportQuestion question{.file = folder_.write("rows.csv", kRows)};
    const auto made = import_history(question, {.folder = path()});
    EXPECT_TRUE(made.has_value());
    EXPECT_EQ(made->facts.intervals, 3U);
    EXPECT_EQ(made->notices.exit_code(), 0);
  }
  std::string path(std::string_view name = "h") const { return folder_.file(name); }

 private:
  TemporaryFolder folder_;
};

std::string rows_of(const std::string& path, const std::string& output) {
  const auto opened = open_history({.path = path});
  EXPECT_TRUE(opened.has_value());
  const auto left_out = export_rows(*opened, {.output = output});
  EXPECT_EQ(left_out.value_or(1), 0U);
  return content_of(output);
}

TEST(histories, give_the_rows_that_they_were_made_of) {
  const Rows rows;
  EXPECT_EQ(rows_of(rows.path(), rows.path("out.csv")), kRows);
}

TEST(histories, are_the_same_in_another_layout) {
  const Rows rows;
  const auto made = convert_history(
      rows.path(), {.folder = rows.path("stream"), .layout = history::Layout::stream});
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->facts.layout, history::Layout::stream);
  EXPECT_EQ(parsed(history_made_json("there", *made))["layout"], "stream");
  EXPECT_EQ(rows_of(rows.path("stream"), rows.path("out.csv")), kRows);
}

TEST(histories, that_were_cut_are_whole_again_once_repaired) {
  const Rows rows;
  const std::string file = rows.path("h/history.bin");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  const auto cut = check_history({.path = rows.path()});
  EXPECT_FALSE(cut.has_value() && cut->whole);
  ASSERT_TRUE(repair_history(rows.path()).has_value());
  const auto whole = check_history({.path = rows.path()});
  ASSERT_TRUE(whole.has_value());
  EXPECT_TRUE(whole->whole);
}

TEST(histories, go_on_from_a_snapshot) {
  const Rows rows;
  const auto opened = open_history({.path = rows.path()});
  ASSERT_TRUE(opened.has_value());
  ASSERT_TRUE(save_snapshot(*opened, {.at = "7"}, {.folder = rows.path("s")}).has_value());
  const auto state = parsed(content_of(rows.path("s/state.json")));
  EXPECT_EQ(state["timestamp"], 7);
  EXPECT_EQ(state["states"].size(), 2U);
  ASSERT_TRUE(import_history({.file = rows.path("s")}, {.folder = rows.path("next")}).has_value());
  const auto next = open_history({.path = rows.path("next")});
  ASSERT_TRUE(next.has_value());
  const auto answer = ask_history(next->history, {.at = "7"});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->states.rows.size(), 2U);
}

TEST(histories, stay_unless_they_may_be_replaced) {
  const Rows rows;
  const std::string before = content_of(rows.path("h/history.bin"));
  const auto refused = convert_history(rows.path(), {.folder = rows.path()});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().error.code, Code::output_exists);
  EXPECT_EQ(refused.error().file, rows.path());
  EXPECT_EQ(content_of(rows.path("h/history.bin")), before);
  const Input input({.file = example()});
  EXPECT_FALSE(build_states(input, {.folder = rows.path()}).has_value());
  EXPECT_EQ(content_of(rows.path("h/history.bin")), before);
}

TEST(histories, answer_the_lines_of_a_file_that_can_be_answered) {
  const Rows rows;
  const auto opened = open_history({.path = rows.path()});
  ASSERT_TRUE(opened.has_value());
  std::filesystem::create_directory(rows.path("q"));
  std::ofstream(rows.path("q/lines")) << "# one\nat 7\nnonsense\nat 10 a\n";
  const auto answer = ask_history(opened->history, {.batch = rows.path("q/lines")});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->refused.size(), 1U);
  ASSERT_EQ(answer->states.rows.size(), 3U);  // two of line 2, one of line 4
  EXPECT_EQ(answer->states.rows.back().front(), analysis::Cell(std::uint64_t{4}));
}

}  // namespace
}  // namespace polytrace::service::test
