// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/block_cutter.hpp"

#include <gtest/gtest.h>

#include "analysis/asked.hpp"
#include "base/codes.hpp"
#include "collector/streams.hpp"

namespace polytrace::collector {
namespace {

using base::Code;
using U = std::uint64_t;

std::vector<std::byte> short_stream() {
  event::Batch batch;
  test::Stream stream(batch, 1);
  stream.method(1, "Main").method(2, "Work");
  for (base::Time time = 0; time < 40; ++time)
    stream.add(time, 1 + static_cast<base::Id>(time) % 2, event::Enter{});
  return test::native_stream(7, batch, 6);
}

struct Told {
  std::vector<test::OwnBlock> blocks{};
  std::optional<Code> error{};
};

Told cut_in_pieces(base::Bytes bytes, std::size_t piece) {
  Told told;
  BlockCutter cutter;
  for (std::size_t at = 0; at < bytes.size() && !told.error; at += piece) {
    const auto part = bytes.subspan(at, std::min(piece, bytes.size() - at));
    const auto done = cutter.feed(part, [&](const BlockCutter::Block& block) -> base::result<void> {
      told.blocks.push_back({block.index, block.offset, {block.bytes.begin(), block.bytes.end()}});
      return {};
    });
    if (!done) told.error = done.error().code;
  }
  return told;
}

bool is_front_of(const std::vector<test::OwnBlock>& some, const std::vector<test::OwnBlock>& all) {
  if (some.size() > all.size()) return false;
  for (std::size_t i = 0; i < some.size(); ++i)
    if (some[i].bytes != all[i].bytes || some[i].index != all[i].index) return false;
  return true;
}

TEST(block_cutter, gives_the_same_blocks_however_bytes_come) {
  const auto stream = short_stream();
  const auto all = test::blocks_in(stream);
  ASSERT_EQ(all.size(), 9U);  // header, seven of six events, end
  EXPECT_EQ(all[0].index, BlockCutter::kHeader);
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].offset, offset);
    EXPECT_EQ(all[i].index, U{i} - 1);
    offset += all[i].bytes.size();
  }
  EXPECT_EQ(offset, stream.size());
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    const Told told = cut_in_pieces(stream, piece);
    EXPECT_FALSE(told.error);
    EXPECT_EQ(told.blocks.size(), all.size());
    EXPECT_TRUE(is_front_of(told.blocks, all)) << piece;
  }
}

TEST(block_cutter, tells_nothing_of_a_block_before_it_is_whole) {
  const auto stream = short_stream();
  const auto all = test::blocks_in(stream);
  for (std::size_t size = 0; size < stream.size(); ++size) {
    const Told told = cut_in_pieces(base::Bytes(stream).first(size), 50);
    EXPECT_FALSE(told.error);
    std::size_t whole = 0;
    while (all[whole].offset + all[whole].bytes.size() <= size) ++whole;
    EXPECT_EQ(told.blocks.size(), whole) << size;
    EXPECT_TRUE(is_front_of(told.blocks, all));
  }
}

TEST(block_cutter, tells_no_block_with_a_flipped_bit) {
  const auto stream = short_stream();
  const auto all = test::blocks_in(stream);
  for (std::size_t at = 0; at < stream.size(); ++at) {
    auto damaged = stream;
    damaged[at] ^= static_cast<std::byte>(1U << at % 8);
    const Told told = cut_in_pieces(damaged, 64);
    EXPECT_TRUE(told.error) << at;
    std::size_t before = 0;
    while (all[before].offset + all[before].bytes.size() <= at) ++before;
    EXPECT_EQ(told.blocks.size(), before) << at;
    EXPECT_TRUE(is_front_of(told.blocks, all)) << at;
  }
}

TEST(block_cutter, begins_at_a_block_and_refuses_what_is_too_large_or_no_stream) {
  const auto stream = short_stream();
  const auto all = test::blocks_in(stream);
  BlockCutter cutter(all[3].offset);
  std::vector<std::uint64_t> indexes;
  const auto note = [&](const BlockCutter::Block& block) -> base::result<void> {
    indexes.push_back(block.index);
    return {};
  };
  ASSERT_TRUE(cutter.feed(base::Bytes(stream).subspan(all[3].offset), note));
  EXPECT_EQ(indexes, (std::vector<std::uint64_t>{2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(cutter.ended());
  EXPECT_EQ(cutter.offset(), stream.size());

  format::native::BlockHeader large;
  const std::vector<std::byte> payload(BlockCutter::kMostBlock);
  seal(large, payload);
  BlockCutter second(all[3].offset);
  const auto refused = second.feed(std::as_bytes(std::span(&large, 1)), note);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit_exceeded);
  EXPECT_EQ(second.held(), 0U);
  EXPECT_FALSE(second.feed(base::Bytes(stream).subspan(all[3].offset), note));

  const std::string_view text = "GET / HTTP/1.1\r\n";
  BlockCutter third;
  EXPECT_EQ(third.feed(std::as_bytes(std::span(text)), note).error().code, Code::not_recognised);
}

}  // namespace
}  // namespace polytrace::collector
