// SPDX-License-Identifier: Apache-2.0
// A collector whose folder is gone goes on where a row of `streams` says: what the store has at the
// end is what one collector gives.
#include <gtest/gtest.h>

#include "collector/facts.hpp"
#include "collector/keep/outbox.hpp"
#include "collector/live/definitions.hpp"
#include "collector/live/live_reader.hpp"
#include "collector/live/position.hpp"
#include "collector/live/stream_work.hpp"
#include "collector/program.hpp"
#include "collector/streams.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::collector {
namespace {

using test::kNoon;
using test::OwnBlock;
using test::Program;
using Number = std::uint64_t;

constexpr Number kLonely = 78;
constexpr base::Time kAll = 3600 * kSecond;  // behind every window

std::vector<OwnBlock> some_minutes(unsigned seed) {
  Program program(seed);
  auto all = test::blocks_in(test::native_stream(kLonely, program.run(240 * kSecond), 12));
  all.erase(all.begin());  // its header
  return all;
}

// One collector's part: rows go to the store at once, what it knows to a folder.
struct Worker {
  Worker(const std::string& folder, test::Facts& facts, base::Time save_each = 20 * kSecond)
      : store(facts),
        kept(*Checkpoint::open(folder)),
        work(kLonely, {.lag = 2 * kSecond}, [this](Rows&& rows) { store.add(rows); }, &kept,
             {.save_each = save_each}) {}

  // As it would be sent: through the store and back.
  void look() {
    const auto saved = work.saved();
    if (!saved) return;
    const auto row = position_of(kLonely, *saved, work.aggregator(), "edge-1", 1'795'694'400);
    ASSERT_TRUE(row);
    const auto sent = positions_in(block_of(std::vector{*row}));
    ASSERT_EQ(sent, std::vector{*row});
    if (position) {
      EXPECT_GT(row->version, position->version);
    }
    position = sent[0];
  }
  void run(std::span<const OwnBlock> blocks) {
    for (const OwnBlock& block : blocks) {
      ASSERT_TRUE(work.block(block.view()));
      look();
    }
  }
  void drain() {
    ASSERT_TRUE(work.close_until(kNoon + kAll));
    look();
  }
  void adopt(const warehouse::Stream& row) {
    const auto saved = saved_of(row);
    ASSERT_TRUE(saved);
    ASSERT_TRUE(kept.adopt(kLonely, *saved));
    ASSERT_TRUE(work.resume());
  }

  test::Facts& store;
  Checkpoint kept;
  StreamWork work;
  std::optional<warehouse::Stream> position{};
};

// What an agent has that gave up blocks before that one: those that explain others. From `no_more`
// on it gave up all of them.
std::vector<OwnBlock> trimmed(const std::vector<OwnBlock>& blocks, Number before,
                              Number no_more = ~Number{0}) {
  std::vector<OwnBlock> left;
  LiveReader reader(kLonely);
  for (const OwnBlock& block : blocks) {
    bool explains = is_context(block.bytes) || block.index >= before;
    reader.read(block.bytes, [&](const event::Batch& batch) {
      explains = explains || !definitions_of(batch, block.index).empty();
    });
    const bool is_gone = block.index >= no_more && block.index < before;
    if (explains && !is_gone) left.push_back(block);
  }
  return left;
}

// By one collector, which closes its windows before that block as at a drain.
test::Facts in_one(const std::vector<OwnBlock>& blocks, std::size_t drained) {
  const test::TemporaryFolder folder;
  test::Facts facts;
  Worker one(folder.file("one"), facts);
  one.run(std::span(blocks).first(drained));
  one.drain();
  one.run(std::span(blocks).subspan(drained));
  EXPECT_TRUE(one.work.finished());
  return facts;
}

TEST(positions, after_a_drain_nothing_is_missing_and_nothing_twice) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto blocks = some_minutes(seed);
    const std::size_t half = blocks.size() / 2 + seed;
    const test::TemporaryFolder folder;
    test::Facts facts;
    Worker first(folder.file("first"), facts);
    first.run(std::span(blocks).first(half));
    first.drain();
    ASSERT_TRUE(first.position);
    EXPECT_EQ(first.position->next_block, half);
    EXPECT_EQ(first.position->offset, blocks[half].offset);
    EXPECT_EQ(first.position->ended, 0);
    // Its folder is gone, and the agent has only what that collector had not.
    Worker second(folder.file("second"), facts);
    second.adopt(*first.position);
    const auto left = trimmed(blocks, half);
    EXPECT_LT(left.size(), blocks.size());
    second.run(left);
    EXPECT_TRUE(second.work.finished());
    EXPECT_EQ(second.work.blocks_missing(), 0U);
    EXPECT_EQ(facts.rows, in_one(blocks, half).rows) << seed;
    EXPECT_EQ(second.position->ended, 1);
    EXPECT_GT(second.position->version, first.position->version);
  }
}

// Killed between: the position is behind, and what comes again makes the same rows.
TEST(positions, what_is_counted_again_replaces_itself) {
  for (unsigned seed = 20; seed < 30; ++seed) {
    const auto blocks = some_minutes(seed);
    const std::size_t until = blocks.size() * 2 / 3;
    const test::TemporaryFolder folder;
    test::Facts facts;
    test::Facts whole;
    Worker first(folder.file("first"), facts);
    first.run(std::span(blocks).first(until));
    ASSERT_TRUE(first.position);
    ASSERT_LT(first.position->next_block, until);
    Worker second(folder.file("second"), facts);
    second.adopt(*first.position);
    // The second one is killed, too, while it reads names: its own folder knows how to go on.
    second.run(std::span(blocks).first(first.position->next_block / 2));
    Worker third(folder.file("second"), facts);
    ASSERT_TRUE(third.work.resume());
    EXPECT_EQ(third.work.next_block(), 0U);
    third.run(blocks);
    EXPECT_TRUE(third.work.finished());
    Worker one(folder.file("one"), whole);
    one.run(blocks);
    EXPECT_EQ(facts.rows, whole.rows) << seed;
  }
}

// Killed, and the agent had given up what the collector had: what is in the store stays, the rest
// stands beside it, and what is between is told as missing.
TEST(positions, behind_a_gap_rows_replace_nothing) {
  for (unsigned seed = 40; seed < 46; ++seed) {
    const auto blocks = some_minutes(seed);
    const std::size_t until = blocks.size() * 2 / 3;
    const test::TemporaryFolder folder;
    test::Facts facts;
    Worker first(folder.file("first"), facts);
    first.run(std::span(blocks).first(until));
    ASSERT_TRUE(first.position);
    const auto before = facts.rows;
    for (const bool knows : {true, false}) {
      test::Facts later;
      Worker second(folder.file(knows ? "second" : "third"), later);
      if (knows) second.adopt(*first.position);
      second.run(trimmed(blocks, until, first.position->next_block));
      EXPECT_TRUE(second.work.finished());
      EXPECT_GT(second.work.blocks_missing(), 0U);
      ASSERT_FALSE(later.rows.empty());
      if (!knows) continue;
      EXPECT_GT(later.lost, 0U);
      for (const auto& [key, figures] : later.rows) {
        EXPECT_GE(key.second.back(), Aggregator::kApart);
        EXPECT_FALSE(before.contains(key));
      }
    }
  }
}

TEST(positions, of_a_stream_that_has_ended_nothing_more_is_taken) {
  const auto blocks = some_minutes(60);
  const test::TemporaryFolder folder;
  test::Facts facts;
  Worker first(folder.file("first"), facts);
  first.run(blocks);
  ASSERT_TRUE(first.position);
  EXPECT_EQ(first.position->ended, 1);
  EXPECT_LT(first.position->state.size(), 8U);
  const auto before = facts.rows;
  Worker second(folder.file("second"), facts);
  second.adopt(*first.position);
  second.run(blocks);
  EXPECT_EQ(second.work.blocks(), 0U);
  EXPECT_EQ(facts.rows, before);
}

TEST(positions, damaged_ones_are_none) {
  const test::TemporaryFolder folder;
  test::Facts facts;
  Worker first(folder.file("first"), facts);
  first.run(some_minutes(70));
  ASSERT_TRUE(first.position);
  warehouse::Stream row = *first.position;
  EXPECT_TRUE(saved_of(row));
  row.state.clear();
  EXPECT_FALSE(saved_of(row));
  row.state = std::string("\x05\x01", 2);
  EXPECT_FALSE(saved_of(row));
  row.state = std::string("\0\x7f\0", 3);
  EXPECT_FALSE(saved_of(row));
}

Block of_health(std::uint32_t calls) {
  Rows rows;
  rows.of<warehouse::Health10s>().push_back({.series = 1, .t = 1'795'651'200, .calls = calls});
  return std::move(blocks_of(rows).at(0));
}

Block of_position(Number next) {
  return block_of(std::vector{warehouse::Stream{.stream = 1, .next_block = next, .touched = 1}});
}

TEST(positions, overtake_no_rows_on_their_way) {
  const test::TemporaryFolder folder;
  auto outbox = Outbox::open({.folder = folder.file("o")});
  ASSERT_TRUE(outbox);
  for (Number i = 0; i < 3; ++i) {
    ASSERT_TRUE(outbox->append(of_health(static_cast<std::uint32_t>(i))));
    ASSERT_TRUE(outbox->append(of_position(i)));
  }
  ASSERT_TRUE(outbox->append(of_position(3)));
  ASSERT_TRUE(outbox->sync());
  EXPECT_EQ(outbox->end(), 7U);
  std::vector<std::vector<Number>> sent;
  while (outbox->waiting() != 0) {
    auto& numbers = sent.emplace_back();
    EXPECT_LT(outbox->first_waiting(), 7U);
    // The first rows go alone, as a target takes them that was just woken.
    const auto batches = outbox->take_alike({}, sent.size() == 1 ? 0 : 1 << 20).value();
    for (const Outbox::Batch& batch : batches) numbers.push_back(batch.number);
    for (const Number number : numbers) outbox->sent(number);
  }
  EXPECT_EQ(sent, (std::vector<std::vector<Number>>{{0}, {1}, {2, 4}, {3, 5, 6}}));
  EXPECT_EQ(outbox->first_waiting(), 7U);
}

}  // namespace
}  // namespace polytrace::collector
