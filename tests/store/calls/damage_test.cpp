// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "store/ask/calls/open_calls.hpp"
#include "store/ask/calls/range_sums.hpp"
#include "store/calls/memory_index.hpp"
#include "store/read/block_events.hpp"

namespace polytrace::store::calls {
namespace {

// Asks a block all that can be asked: nothing but a crash is wrong.
void ask_block(base::Bytes payload, const Paths& paths) {
  std::vector<PathSum> sums;
  (void)read_block_sums(payload, paths.size(), sums);
  CallBlock block;
  if (!block.read(payload, paths.size())) return;
  BlockEvents events(block, 3, paths);
  std::uint64_t count = 0;
  for (CallEvent event{}; events.next(event);) ++count;
  EXPECT_LE(count, 3 * kBlockEvents);
  std::vector<PathSum> by_local(block.locals().size());
  block.add_figures(Range{}.from, Range{}.to, by_local);
  block.add_figures(block.head().before + 30, block.head().last - 30, by_local);
  (void)position_at(block, block.head().last - 10);
  if (block.head().enters != 0) {
    EXPECT_TRUE(position_in(block, block.head().enters - 1));
  }
  EXPECT_FALSE(position_in(block, block.head().enters));
}

MemoryIndex small_index() {
  return MemoryIndex({random_stream({.events = 100,
                                     .methods = 6,
                                     .irregular = 100,
                                     .late = 50,
                                     .tickets = 200,
                                     .waits = 100,
                                     .unwinds = 200,
                                     .long_steps = 20},
                                    1)});
}

// In memory of its own, so that a look behind its end is seen.
std::vector<std::byte> copy_of(const std::string& text, std::size_t size) {
  return {view(text).begin(), view(text).begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST(damaged_calls, cut_anywhere_give_an_error_or_an_answer) {
  const auto index = small_index();
  ASSERT_EQ(index.written(0).size(), 1U);
  const std::string& payload = index.written(0)[0].payload;
  for (std::size_t size = 0; size < payload.size(); ++size) {
    const auto cut = copy_of(payload, size);
    ask_block(cut, index.paths());
    CallBlock block;
    EXPECT_FALSE(block.read(cut, index.paths().size())) << size;
  }
}

TEST(damaged_calls, with_any_bit_changed_give_an_error_or_an_answer) {
  const auto index = small_index();
  const std::string& payload = index.written(0)[0].payload;
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    auto damaged = copy_of(payload, payload.size());
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    ask_block(damaged, index.paths());
  }
}

TEST(damaged_calls, of_paths_that_are_not_there_are_refused) {
  const auto index = small_index();
  const std::string& payload = index.written(0)[0].payload;
  CallBlock block;
  EXPECT_TRUE(block.read(view(payload), index.paths().size()));
  EXPECT_FALSE(block.read(view(payload), index.paths().size() / 2));
}

template <class Read>
void expect_no_crash(const std::string& payload, const Read& read) {
  for (std::size_t size = 0; size < payload.size(); ++size) read(copy_of(payload, size));
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    auto damaged = copy_of(payload, payload.size());
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    read(damaged);
  }
}

TEST(damaged_calls, in_sums_ends_and_paths_give_an_error_or_an_answer) {
  const std::vector<Stream> streams{random_stream({.events = 2000, .waits = 20}, 2)};
  const MemoryIndex index(streams, 100);
  ASSERT_FALSE(index.frames().empty());
  const std::uint32_t paths = index.paths().size();
  expect_no_crash(index.frames()[0].payload, [&](const std::vector<std::byte>& bytes) {
    std::vector<PathSum> sums;
    if (!read_sums(bytes, paths, sums)) return;
    for (const PathSum& sum : sums) ASSERT_LT(sum.path, paths);
  });
  std::string ends;
  append_ends(std::span(index.ends()).first(50), ends);
  expect_no_crash(ends, [&](const std::vector<std::byte>& bytes) {
    std::vector<CallEnd> read;
    if (read_ends(bytes, read)) {
      EXPECT_LE(read.size(), bytes.size());
    }
  });
  PathTable table;
  std::uint32_t path = 0;
  for (std::uint32_t i = 0; i < 100; ++i) path = table.child(i % 7 == 0 ? 0 : path, i * 3);
  std::string payload;
  append_paths(table, 1, table.size() - 1, payload);
  expect_no_crash(payload, [&](const std::vector<std::byte>& bytes) {
    Paths read;
    if (!read.add(bytes)) return;
    for (std::uint32_t i = 1; i < read.size(); ++i) ASSERT_LT(read.parent(i), i);
  });
}

}  // namespace
}  // namespace polytrace::store::calls
