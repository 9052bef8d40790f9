// SPDX-License-Identifier: Apache-2.0
// Files of other versions: those of 1.0 are read for ever, later ones as far as they allow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/codes.hpp"
#include "base/io/crc32c.hpp"
#include "history/history_bytes.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using polytrace::test::TemporaryFolder;
using namespace test;

std::string golden(const std::string& name) {
  return std::string(POLYTRACE_TEST_DATA) + "/history/" + name;
}

// What the golden files of version 1.0 hold. To make them: this test's name is the recipe.
void build_golden(const std::string& path, Layout layout) {
  HistoryId id{};
  for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<std::byte>(i);
  auto made = Builder::create(path, {.start = -100,
                                     .ticks_per_second = 1000,
                                     .clock_offset = 5,
                                     .id = id,
                                     .layout = layout,
                                     .changes_per_segment = 4});
  ASSERT_TRUE(made);
  const Key thread = made->key({"Threads", "390", "Exec_name"});
  const Key depth = made->key({"Threads", "390", "Depth"});
  const Key any = made->key({"Any"});
  ASSERT_TRUE(made->declare(any, Type::any));
  ASSERT_TRUE(made->declare(77, Type::none));
  ASSERT_TRUE(made->modify(-100, depth, Value::of(std::int64_t{-3})));
  ASSERT_TRUE(made->modify(0, thread, Value::text("lttng-sessiond")));
  ASSERT_TRUE(made->modify(1, depth, Value::of(std::int64_t{4})));
  ASSERT_TRUE(made->modify(2, any, Value::of(-17.23)));
  ASSERT_TRUE(made->insert(77, 3, 8, Value::exists()));
  ASSERT_TRUE(made->modify(5, any, Value::bytes("\x01\x02")));
  ASSERT_TRUE(made->modify(6, thread, Value::null()));
  ASSERT_TRUE(made->modify(7, any, Value::of(true)));
  ASSERT_TRUE(made->modify(9, thread, Value::text("bash")));
  ASSERT_TRUE(made->close(50));
}

std::string told(const History& history) {
  std::string text;
  for (const Key key : history.keys()) {
    text += history.tree().node(key) == Tree::kNone ? "-"
                                                    : history.tree().path(history.tree().node(key));
    text += " " + std::string(name(history.type(key))) + "\n";
    for (const Span& span : all_of(history, key)) text += "  " + to_text(span) + "\n";
  }
  return text;
}

constexpr std::string_view kGolden =
    R"( null
  0 -100..50 null 0 ''
Threads null
  1 -100..50 null 0 ''
Threads/390 null
  2 -100..50 null 0 ''
Threads/390/Exec_name string
  3 -100..-1 null 0 ''
  3 0..5 string 0 'lttng-sessiond'
  3 6..8 null 0 ''
  3 9..50 string 0 'bash'
Threads/390/Depth int
  4 -100..0 int fffffffffffffffd ''
  4 1..50 int 4 ''
Any any
  5 -100..1 null 0 ''
  5 2..4 double c0313ae147ae147b ''
  5 5..6 bytes 0 ')"
    "\x01\x02"
    R"('
  5 7..50 bool 1 ''
- none
  77 3..8 none 0 ''
)";

TEST(versions, files_of_1_0_are_read) {
  for (const char* file : {"segmented_1_0.bin", "stream_1_0.bin"}) {
    const auto history = History::open(golden(file));
    ASSERT_TRUE(history) << file << ": " << base::to_text(history.error());
    EXPECT_TRUE(history->notices().empty());
    EXPECT_EQ(told(*history), kGolden) << file;
    EXPECT_EQ(history->facts().clock_offset, 5);
    EXPECT_EQ(history->facts().ticks_per_second, 1000U);
    EXPECT_EQ(history->facts().end, 50);
  }
}

TEST(versions, builder_still_makes_the_bytes_of_1_0) {
  const TemporaryFolder folder;
  build_golden(folder.file("a"), Layout::segmented);
  build_golden(folder.file("b"), Layout::stream);
  using polytrace::test::content_of;
  EXPECT_TRUE(content_of(folder.file("a")) == content_of(golden("segmented_1_0.bin")));
  EXPECT_TRUE(content_of(folder.file("b")) == content_of(golden("stream_1_0.bin")));
}

class later : public testing::Test {
 protected:
  later() : file_(bytes_of(polytrace::test::content_of(golden("stream_1_0.bin")))) {}

  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(file_.data() + at, &value, sizeof value);
    constexpr std::size_t kSumAt = kHeaderSize - 4;
    const std::uint32_t sum = base::crc32c(std::span(file_).first(kSumAt));
    std::memcpy(file_.data() + kSumAt, &sum, sizeof sum);
  }
  // Behind the header.
  void insert_frame(const char (&kind)[5]) {
    base::FrameHead head{.kind = base::frame_kind(kind)};
    head.checksum = base::crc32c({});
    const auto bytes = encode(head);
    file_.insert(file_.begin() + kHeaderSize, bytes.begin(), bytes.end());
    put(80, std::uint64_t{file_.size()});
  }
  Code fault() const {
    const auto history = History::open_bytes(file_);
    return history ? Code::usage : history.error().code;
  }

  std::vector<std::byte> file_;
};

TEST_F(later, minor_version_is_read) {
  put(10, std::uint16_t{7});
  const auto history = History::open_bytes(file_);
  ASSERT_TRUE(history);
  EXPECT_EQ(history->facts().minor, 7);
  EXPECT_EQ(told(*history), kGolden);
}

TEST_F(later, major_version_is_refused_with_both_numbers) {
  put(8, std::uint16_t{2});
  const auto history = History::open_bytes(file_);
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().code, Code::version_unsupported);
  EXPECT_THAT(history.error().detail, testing::HasSubstr("2.0"));
  EXPECT_THAT(history.error().detail, testing::HasSubstr("1.x"));
}

TEST_F(later, required_feature_is_refused) {
  put(16, std::uint64_t{1} << 20);
  EXPECT_EQ(fault(), Code::feature_unknown);
}

TEST_F(later, optional_feature_is_ignored) {
  put(24, ~std::uint64_t{0});
  EXPECT_EQ(told(*History::open_bytes(file_)), kGolden);
}

TEST_F(later, frame_in_lower_case_is_skipped) {
  insert_frame("note");
  const auto history = History::open_bytes(file_);
  ASSERT_TRUE(history);
  EXPECT_TRUE(history->notices().empty());
  EXPECT_EQ(told(*history), kGolden);
}

TEST_F(later, frame_in_upper_case_is_refused) {
  insert_frame("NOTE");
  EXPECT_EQ(fault(), Code::record_unknown);
}

TEST_F(later, other_file_is_not_recognised) {
  EXPECT_EQ(History::open_bytes(bytes_of("not a history")).error().code, Code::not_recognised);
  EXPECT_EQ(History::open("/nonexistent/history.bin").error().code, Code::open_failed);
}

}  // namespace
}  // namespace polytrace::history
