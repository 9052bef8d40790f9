// SPDX-License-Identifier: Apache-2.0
// What segments hold becomes a part of their stream, in place.
#include "format/native/native.hpp"

#include <fstream>
#include <iterator>

#include "base/codes.hpp"
#include "format/native/wire/segment_records.hpp"
#include "format/native_recorded.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::format::native {
namespace {

class native_append : public testing::Test {
 protected:
  // A stream that has 500 words of the first segment, and two segments.
  native_append() {
    SegmentWords some = words_of(first_.words, 500);
    stream_.move(some, 1, 700);
    segments_.add_words(1, 7, first_.words);
    segments_.add_words(2, 7, second_.words);
    std::byte memory[200];
    RecordEncoder encoder;
    encoder.begin(memory, sizeof memory, kBase, base::kNoId);
    encoder.event(kBase, 5, event::Method{.name = "m"});
    segments_.add_records(1, encoder.payload());
    write(stream_.bytes);
    folder_.write("s.ptrace.segments", segments_.text());
  }
  void write(const Bytes& bytes) {
    path_ = folder_.write("s.ptrace", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  // The stream alone, without what stands beside it.
  test::Whole alone() const {
    std::ifstream in(path_, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto bytes = std::as_bytes(std::span(text));
    return test::read_whole(Bytes(bytes.begin(), bytes.end()));
  }
  void expect_all() const {
    const test::Whole whole = alone();
    EXPECT_EQ(whole.notices.exit_code(), 0);
    EXPECT_EQ(whole.notices.find(base::Code::end_missing), nullptr);
    std::vector<std::string> lines = whole.lines;
    // What was taken before, the definitions, then the rest.
    std::erase_if(lines,
                  [](const std::string& line) { return line.find("name=\"m\"") != line.npos; });
    EXPECT_EQ(lines.size() + 1, whole.lines.size());
    Lines expected = first_.lines;
    expected.insert(expected.end(), second_.lines.begin(), second_.lines.end());
    EXPECT_EQ(lines, expected);
  }

  polytrace::test::TemporaryFolder folder_;
  Recorded first_ = some_events(3, 3000);
  Recorded second_ = some_events(4, 100);
  Stream stream_;
  SegmentFile segments_;
  std::string path_;
};

TEST_F(native_append, adds_what_is_left_and_the_end) {
  const auto done = append_segments(path_);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->events, alone().lines.size() - test::read_whole(stream_.bytes).lines.size());
  EXPECT_EQ(done->damaged, 0U);
  expect_all();
  // Once more: it has an end.
  ASSERT_TRUE(append_segments(path_));
  expect_all();
}

// A block that the recorder was killed in, or that this was.
TEST_F(native_append, gives_up_what_is_torn) {
  ASSERT_TRUE(append_segments(path_));
  std::ifstream in(path_, std::ios::binary);
  const std::string good(std::istreambuf_iterator<char>(in), {});
  for (std::size_t size = stream_.bytes.size(); size < good.size(); size += 97) {
    path_ = folder_.write("s.ptrace", good.substr(0, size));
    ASSERT_TRUE(append_segments(path_));
    ASSERT_NO_FATAL_FAILURE(expect_all()) << size;
  }
}

TEST_F(native_append, leaves_others_alone) {
  EXPECT_EQ(append_segments(folder_.file("nothing")).error().code, base::Code::open_failed);
  folder_.write("s.ptrace.segments", SegmentFile(kStream + 1).text());
  EXPECT_EQ(append_segments(path_).error().code, base::Code::not_recognised);
  EXPECT_EQ(alone().lines, test::read_whole(stream_.bytes).lines);
  Bytes damaged = stream_.bytes;
  damaged[100] ^= std::byte{1};
  damaged.resize(damaged.size() + kMaxPayload + 100);
  write(damaged);
  EXPECT_EQ(append_segments(path_).error().code, base::Code::block_damaged);
  write(Bytes(10));
  EXPECT_EQ(append_segments(path_).error().code, base::Code::not_recognised);
}

}  // namespace
}  // namespace polytrace::format::native
