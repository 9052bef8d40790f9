// SPDX-License-Identifier: Apache-2.0
// Histories that were cut, damaged, or whose builder was killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/codes.hpp"
#include "history/history_bytes.hpp"
#include "history/repair.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using polytrace::test::TemporaryFolder;
using namespace test;

class recovery : public testing::Test {
 protected:
  recovery() : random_(path_, {.seed = 5, .keys = 10, .changes = 1200, .per_segment = 150}) {
    random_.feed();
    random_.close();
    file_ = bytes_of(polytrace::test::content_of(path_));
  }
  std::vector<std::byte> first(std::size_t size) const {
    return {file_.begin(), file_.begin() + static_cast<std::ptrdiff_t>(size)};
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("history.bin");
  RandomHistory random_;
  std::vector<std::byte> file_;
};

TEST_F(recovery, cut_at_every_frame_keeps_what_is_before) {
  std::uint64_t segments = 0;
  for (const std::uint64_t offset : frame_offsets(file_)) {
    const auto part = History::open_bytes(first(offset));
    ASSERT_TRUE(part) << base::to_text(part.error());
    EXPECT_FALSE(part->facts().complete);
    EXPECT_NE(part->notices().find(Code::index_missing), nullptr);
    EXPECT_GE(part->facts().segments, segments);
    segments = part->facts().segments;
    expect_prefix(*part, random_.oracle());
  }
  EXPECT_GT(segments, 4U);
}

TEST_F(recovery, cut_anywhere_tells_what_is_lost) {
  for (unsigned i = 0; i < 60; ++i) {
    const std::size_t size = random_.below(file_.size());
    const auto part = History::open_bytes(first(size));
    if (size < kHeaderSize) {
      ASSERT_FALSE(part);
      EXPECT_THAT(part.error().code, testing::AnyOf(Code::not_recognised, Code::header_truncated));
      continue;
    }
    ASSERT_TRUE(part) << size << base::to_text(part.error());
    EXPECT_NE(part->notices().find(Code::index_missing), nullptr);
    expect_prefix(*part, random_.oracle());
  }
}

TEST_F(recovery, flipped_bit_never_gives_wrong_answers) {
  for (unsigned i = 0; i < 400 && !HasFailure(); ++i) {
    auto damaged = file_;
    const std::size_t at = random_.below(file_.size());
    damaged[at] ^= std::byte{1} << random_.below(8);
    const auto history = History::open_bytes(damaged);
    if (!history) continue;
    SCOPED_TRACE(at);
    for (const Key key : history->keys()) {
      std::vector<Span> all;
      const auto told = history->range(key, history->facts().start, history->facts().end,
                                       [&](const Interval& in) { all.push_back(span_of(in)); });
      if (!told) continue;
      if (history->facts().complete) {
        EXPECT_THAT(all, testing::ElementsAreArray(random_.oracle().all(key)));
      } else {
        expect_prefix(*history, random_.oracle());
      }
    }
  }
}

// Even when checksums are not tested: bounds are.
TEST_F(recovery, damaged_bytes_are_survived_without_checksums) {
  for (unsigned i = 0; i < 600; ++i) {
    auto damaged = file_;
    for (unsigned flips = 0; flips < 4; ++flips)
      damaged[random_.below(file_.size())] = static_cast<std::byte>(random_.below(256));
    const auto history =
        History::open_bytes(damaged, {.trust_content = true, .most_inflated = 1 << 24});
    if (!history) continue;
    std::uint64_t count = 0;
    const auto each = [&](const Interval& interval) {
      EXPECT_LE(interval.start, interval.end);
      ++count;
    };
    const Facts& facts = history->facts();
    (void)history->full(facts.end, each);
    for (const Key key : history->keys()) {
      (void)history->range(key, facts.start, facts.end, each);
      (void)history->range(key, facts.end, facts.start, each);
    }
    EXPECT_LT(count, 100000U);
  }
}

TEST_F(recovery, every_frame_is_guarded) {
  const auto offsets = frame_offsets(file_);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    auto damaged = file_;
    damaged[offsets[i] + base::kFrameHeadSize] ^= std::byte{4};
    const auto history = History::open_bytes(damaged);
    const bool noticed = !history || !history->verify() || !history->notices().empty();
    EXPECT_TRUE(noticed) << offsets[i];
  }
}

TEST_F(recovery, damaged_header_is_taken_from_the_index) {
  auto damaged = file_;
  damaged[33] ^= std::byte{1};
  const auto history = History::open_bytes(damaged);
  ASSERT_TRUE(history);
  EXPECT_NE(history->notices().find(Code::checksum_wrong), nullptr);
  expect_same_answers(*history, random_.oracle(), 1);
}

TEST_F(recovery, repair_of_a_cut_file_gives_it_an_index) {
  const auto offsets = frame_offsets(file_);
  const std::size_t cut = offsets[offsets.size() / 3] + 100;
  folder_.write("cut.bin", text_of(first(cut)));
  const auto notices = repair(folder_.file("cut.bin"));
  ASSERT_TRUE(notices) << base::to_text(notices.error());
  EXPECT_NE(notices->find(Code::index_missing), nullptr);
  EXPECT_NE(notices->find(Code::frame_truncated), nullptr);
  const auto again = repair(folder_.file("cut.bin"));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->empty());
  const auto cut_off = History::open_bytes(first(cut));
  const auto repaired = History::open(folder_.file("cut.bin"));
  ASSERT_TRUE(repaired && cut_off);
  EXPECT_TRUE(repaired->facts().complete);
  EXPECT_TRUE(repaired->notices().empty());
  EXPECT_TRUE(repaired->verify());
  for (const Key key : repaired->keys()) EXPECT_EQ(all_of(*repaired, key), all_of(*cut_off, key));
}

TEST_F(recovery, repair_leaves_a_damaged_file_with_its_index_alone) {
  auto damaged = file_;
  const auto offsets = frame_offsets(file_);
  damaged[offsets[2] + 200] ^= std::byte{1};
  folder_.write("damaged.bin", text_of(damaged));
  const auto notices = repair(folder_.file("damaged.bin"));
  ASSERT_FALSE(notices);
  EXPECT_EQ(notices.error().code, Code::checksum_wrong);
  EXPECT_EQ(bytes_of(polytrace::test::content_of(folder_.file("damaged.bin"))), damaged);
}

TEST(killed, builder_leaves_what_it_flushed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("history.bin");
  const Shape shape{.seed = 8, .keys = 10, .changes = 2000, .per_segment = 100};
  const pid_t child = fork();
  if (child == 0) {
    RandomHistory random(path, shape);
    random.feed();
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  RandomHistory same(folder.file("other.bin"), shape);
  same.feed();
  same.close();
  const auto part = History::open(path);
  ASSERT_TRUE(part) << base::to_text(part.error());
  EXPECT_FALSE(part->facts().complete);
  EXPECT_GT(part->facts().segments, 5U);
  EXPECT_NE(part->notices().find(Code::index_missing), nullptr);
  expect_prefix(*part, same.oracle());
}

TEST(stream, cut_stream_keeps_whole_frames) {
  const TemporaryFolder folder;
  const std::string path = folder.file("history.bin");
  RandomHistory random(path, {.seed = 3, .changes = 2000, .layout = Layout::stream});
  random.feed();
  random.close();
  const auto file = bytes_of(polytrace::test::content_of(path));
  const auto offsets = frame_offsets(file);
  const std::size_t cut = offsets[offsets.size() / 2];
  const auto part = History::open_bytes({file.begin(), file.begin() + static_cast<long>(cut)});
  ASSERT_TRUE(part) << base::to_text(part.error());
  EXPECT_FALSE(part->facts().complete);
  EXPECT_NE(part->notices().find(Code::end_missing), nullptr);
  folder.write("cut.bin", text_of(std::span(file).first(cut)));
  ASSERT_TRUE(repair(folder.file("cut.bin")));
  const auto repaired = History::open(folder.file("cut.bin"));
  ASSERT_TRUE(repaired);
  EXPECT_TRUE(repaired->facts().complete);
}

}  // namespace
}  // namespace polytrace::history
