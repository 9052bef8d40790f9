// SPDX-License-Identifier: Apache-2.0
// Commits: what readers see of a file that was cut anywhere, or has a wrong bit anywhere.
#include "store/file/commits.hpp"

#include <gtest/gtest.h>

#include <span>

#include "base/codes.hpp"
#include "base/frames/fixed_record.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::store {
namespace {

base::Bytes stored(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string payload_text(const IndexView& view, std::size_t entry) {
  base::RawArray<std::byte> room;
  const auto bytes = view.payload(entry, room);
  if (!bytes) return base::to_text(bytes.error());
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// An index of two commits, with 3 and 5 frames, in memory.
class two_commits : public testing::Test {
 protected:
  two_commits() {
    auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {.format = "x 1"});
    for (int i = 0; i < 3; ++i) append(*writer, i);
    EXPECT_TRUE(writer->commit({.totals = {.events = 3}}));
    first_ = writer->size();
    for (int i = 3; i < 5; ++i) append(*writer, i);
    EXPECT_TRUE(writer->commit({.state = IndexState::complete, .totals = {.events = 5}}));
    const auto image = base::Image::map(writer->descriptor(), writer->size());
    bytes_.assign(image->bytes().begin(), image->bytes().end());
  }

  static void append(IndexWriter& writer, int i) {
    const auto packing = i % 2 == 0 ? Packing::as_is : Packing::compress;
    EXPECT_TRUE(writer.append({.kind = frame::text, .count = 1, .number = std::uint64_t(i)},
                              stored(text(i)), packing));
  }
  static std::string text(int i) {
    return std::string(10'000 * static_cast<std::size_t>(i), 'a') + std::to_string(i);
  }
  static auto open(std::vector<std::byte> bytes) {
    return IndexView::open(base::Image::of(std::move(bytes)));
  }
  // What it tells is a commit, whole.
  static void expect_whole(const IndexView& view) {
    const std::size_t count = view.slot().sequence == 1 ? 3 : 5;
    ASSERT_EQ(view.entries().size(), count);
    EXPECT_EQ(view.totals().events, count);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(payload_text(view, i), text(static_cast<int>(i)));
  }

  std::vector<std::byte> bytes_;
  std::uint64_t first_ = 0;  // where the first commit ends
};

TEST_F(two_commits, the_later_one_holds) {
  const auto view = open(bytes_);
  ASSERT_TRUE(view) << base::to_text(view.error());
  EXPECT_EQ((*view)->slot().sequence, 2U);
  EXPECT_EQ((*view)->slot().state, IndexState::complete);
  EXPECT_EQ((*view)->head().format, "x 1");
  expect_whole(**view);
}

TEST_F(two_commits, a_cut_file_is_the_last_commit_that_it_has_whole) {
  for (std::size_t size = 0; size < bytes_.size(); size += size % 4096 == 0 ? 1 : 13) {
    const auto view = open({bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size)});
    ASSERT_EQ(view.has_value(), size >= first_) << size;
    if (!view) continue;
    EXPECT_EQ((*view)->slot().sequence, 1U);
    expect_whole(**view);
  }
}

// The writer was killed before it wrote the second slot, or while it did.
TEST_F(two_commits, without_its_slot_a_commit_is_not_there) {
  for (std::size_t written = 0; written < kSlotBytes; ++written) {
    auto torn = bytes_;
    const std::size_t at = slot_offset(2);
    std::fill_n(torn.begin() + static_cast<std::ptrdiff_t>(at + written), kSlotBytes - written,
                std::byte{});
    const auto view = open(std::move(torn));
    ASSERT_TRUE(view);
    // A slot that ends in zeros is whole without them.
    if ((*view)->slot().sequence == 1) expect_whole(**view);
    EXPECT_TRUE((*view)->slot().sequence == 1 || written >= kSlotBytes - 4) << written;
  }
}

// Every bit of page 0, the directory and the root; and some of the rest.
TEST_F(two_commits, a_wrong_bit_is_an_error_or_changes_nothing) {
  for (std::size_t bit = 0; bit < bytes_.size() * 8; bit += bit < 2048 * 8 ? 3 : 101) {
    auto wrong = bytes_;
    wrong[bit / 8] ^= std::byte{1} << (bit % 8);
    const auto view = open(std::move(wrong));
    if (!view) continue;
    for (std::size_t i = 0; i < (*view)->entries().size(); ++i) {
      base::RawArray<std::byte> room;
      const auto bytes = (*view)->payload(i, room);
      if (bytes) {
        EXPECT_EQ(payload_text(**view, i), text(static_cast<int>(i))) << bit;
      }
    }
  }
}

TEST_F(two_commits, a_frame_in_the_place_of_another_is_seen) {
  const auto view = open(bytes_);
  ASSERT_TRUE(view);
  const Entry& a = (*view)->entries()[0];
  const Entry& b = (*view)->entries()[2];
  auto swapped = bytes_;
  // A whole frame with good sums, where another one of its kind was.
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(a.offset),
              base::kFrameHeadSize + a.length,
              swapped.begin() + static_cast<std::ptrdiff_t>(b.offset));
  const auto again = open(std::move(swapped));
  ASSERT_TRUE(again);
  EXPECT_EQ(payload_text(**again, 0), text(0));
  base::RawArray<std::byte> room;
  EXPECT_FALSE((*again)->payload(2, room));
}

TEST(store_commits, an_unknown_feature_or_version_is_refused) {
  const auto open_head = [](const PageHead& head) {
    std::vector<std::byte> page(kPageBytes);
    std::ranges::copy(encode(head), page.begin());
    return decode_page_head(page);
  };
  EXPECT_TRUE(open_head({.required = kFeaturesKnown}));
  const auto refused = open_head({.required = 16});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::feature_unknown);
}

TEST(store_commits, page_0_comes_back_as_it_was_written) {
  PageHead head{.required = 5,
                .optional = 7,
                .source = {1, 2, 3, -4, 5},
                .kinds = 54,
                .format = "mlpd 17",
                .live = 9,
                .looked = -6};
  for (std::size_t i = 0; i < 16; ++i)
    head.id[i] = head.whole[15 - i] = head.covered[i] = static_cast<std::byte>(i + 1);
  std::vector<std::byte> page(kPageBytes);
  std::ranges::copy(encode(head), page.begin());
  const auto again = decode_page_head(page);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, head.id);
  EXPECT_EQ(again->whole, head.whole);
  EXPECT_EQ(again->covered, head.covered);
  EXPECT_EQ(again->source, head.source);
  EXPECT_EQ(again->format, "mlpd 17");
  EXPECT_EQ(again->live, 9U);
  EXPECT_EQ(again->looked, -6);
  EXPECT_EQ(again->kinds, 54U);
  EXPECT_EQ(again->required, 5U);
}

TEST(store_commits, a_directory_of_more_than_one_frame_comes_back) {
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {});
  ASSERT_TRUE(writer);
  for (std::uint64_t i = 0; i < kEntriesPerFrame * 2 + 10; ++i) {
    const auto entry = Entry{.kind = frame::chunks, .number = i};
    ASSERT_TRUE(writer->append(entry, stored("x")));
    if (i % 3000 == 0) {
      ASSERT_TRUE(writer->commit({}));
    }
  }
  ASSERT_TRUE(writer->commit({}));
  const auto view = IndexView::open(*base::Image::map(writer->descriptor(), writer->size()));
  ASSERT_TRUE(view);
  ASSERT_EQ((*view)->entries().size(), kEntriesPerFrame * 2 + 10);
  for (std::uint64_t i = 0; i < (*view)->entries().size(); ++i)
    EXPECT_EQ((*view)->entries()[i].number, i);
}

}  // namespace
}  // namespace polytrace::store
