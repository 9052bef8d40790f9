// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/outbox.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/codes.hpp"
#include "collector/keep/checkpoint.hpp"
#include "collector/keep/packed_block.hpp"
#include "collector/medium.hpp"
#include "collector/outbox_ends.hpp"
#include "support/temporary_folder.hpp"
#include "warehouse/row_binary.hpp"
#include "warehouse/shards.hpp"

namespace polytrace::collector {
namespace {

namespace fs = std::filesystem;
using U = std::uint64_t;

Block made_block(U seed) {
  Rows rows;
  std::mt19937_64 random(seed);
  for (U i = 0; i < 3 + seed % 20; ++i) {
    warehouse::Health10s row;
    row.service = random();
    row.t = 1'795'651'200 + static_cast<std::uint32_t>(i) * 10;
    row.hour = row.t / 3600;
    row.calls = random();
    rows.of<warehouse::Health10s>().push_back(row);
  }
  return std::move(blocks_of(rows).at(0));
}

void expect_equal(const Block& block, const Block& other) {
  EXPECT_EQ(block.table, other.table);
  EXPECT_EQ(block.columns, other.columns);
  EXPECT_EQ(block.database, other.database);
  EXPECT_EQ(block.origin, other.origin);
  EXPECT_EQ(std::tie(block.day, block.rows), std::tie(other.day, other.rows));
  EXPECT_TRUE(std::ranges::equal(block.bytes.view(), other.bytes.view()));
  ASSERT_EQ(block.totals.size(), other.totals.size());
  for (std::size_t i = 0; i < block.totals.size(); ++i)
    EXPECT_EQ(std::tie(block.totals[i].hour, block.totals[i].rows, block.totals[i].count,
                       block.totals[i].weight),
              std::tie(other.totals[i].hour, other.totals[i].rows, other.totals[i].count,
                       other.totals[i].weight));
}

fs::path newest_batches_in(const fs::path& folder) {
  std::vector<fs::path> all(fs::directory_iterator(folder), fs::directory_iterator{});
  return std::ranges::max(all);
}

TEST(outbox, keeps_the_shard_of_a_batch_also_when_there_are_other_shards) {
  const test::TemporaryFolder folder;
  const OutboxOptions options{.folder = folder.file("o")};
  {
    auto outbox = Outbox::open(options);
    ASSERT_TRUE(outbox);
    for (U i = 0; i < 6; ++i) {
      Block block = made_block(i);
      block.shard = static_cast<std::uint32_t>(i % 3);
      ASSERT_EQ(outbox->append(block), i);
    }
    ASSERT_TRUE(outbox->sync());
    const auto of_two = test::oldest(*outbox, {2, 3});
    ASSERT_TRUE(of_two);
    EXPECT_EQ(std::tuple(of_two->number, of_two->block.shard), std::tuple(2U, 2U));
    outbox->sent(2);
    EXPECT_EQ(test::oldest(*outbox, {2, 3})->number, 5U);
    EXPECT_EQ(outbox->waiting(OfShard{2, 3}), 1U);
  }
  // After a restart what was sent of a file that stays goes again; and of two shards that are left
  // one has the third's.
  auto outbox = Outbox::open(options);
  ASSERT_TRUE(outbox);
  EXPECT_EQ(test::oldest(*outbox, {2, 3})->number, 2U);
  EXPECT_EQ(outbox->waiting(OfShard{0, 2}), 4U);
  EXPECT_EQ(outbox->waiting(OfShard{1, 2}), 2U);
  EXPECT_EQ(outbox->waiting(), 6U);
}

TEST(outbox, gives_together_what_is_alike) {
  const test::TemporaryFolder folder;
  const OutboxOptions options{.folder = folder.file("o")};
  const auto numbers = [](const std::vector<Outbox::Batch>& batches) {
    std::vector<U> all;
    for (const Outbox::Batch& batch : batches) all.push_back(batch.number);
    return all;
  };
  using Numbers = std::vector<U>;
  for (const bool again : {false, true}) {
    auto outbox = Outbox::open(options);
    ASSERT_TRUE(outbox);
    if (!again) {
      EXPECT_TRUE(test::look_alike(*outbox, {}, 1 << 20).empty());
      for (U i = 0; i < 6; ++i) {
        Block block = made_block(20);
        if (i == 1) block.database = "fleet_b";
        if (i == 2) ++block.day;
        ASSERT_EQ(outbox->append(block), i);
      }
      ASSERT_TRUE(outbox->sync());
    }
    const std::size_t bytes = made_block(20).bytes.view().size();
    EXPECT_EQ(numbers(test::look_alike(*outbox, {}, 1 << 20)), (Numbers{0, 3, 4, 5}));
    EXPECT_EQ(numbers(test::look_alike(*outbox, {}, 3 * bytes)), (Numbers{0, 3, 4}));
    EXPECT_EQ(numbers(test::look_alike(*outbox, {}, 1)), Numbers{0});
    EXPECT_EQ(numbers(test::look_alike(*outbox, {}, 0)), Numbers{0});
    outbox->set_aside(0);
    outbox->set_aside(4);
    EXPECT_EQ(numbers(test::look_alike(*outbox, {}, 1 << 20)), Numbers{1});
    outbox->set_aside(1);
    outbox->set_aside(2);
    EXPECT_EQ(numbers(test::look_alike(*outbox, {}, 1 << 20)), (Numbers{3, 5}));
    EXPECT_EQ(outbox->waiting(), 6U);
    outbox->take_up({});
    EXPECT_EQ(numbers(test::look_alike(*outbox, {}, 1 << 20)), (Numbers{0, 3, 4, 5}));
  }
}

// Several take at the same time; positions wait for all that is before them.
TEST(outbox, what_one_has_no_other_takes) {
  const test::TemporaryFolder folder;
  auto outbox = Outbox::open({.folder = folder.file("o")});
  ASSERT_TRUE(outbox);
  for (U i = 0; i < 4; ++i) {
    Block block = made_block(20);
    if (i == 1) ++block.day;
    if (i == 2) block = block_of(std::vector{warehouse::Stream{.stream = 1, .touched = 1}});
    ASSERT_EQ(outbox->append(block), i);
  }
  ASSERT_TRUE(outbox->sync());
  const auto taken = [&] {
    const auto batches = outbox->take_alike({}, 1 << 20).value();
    std::vector<U> all;
    for (const Outbox::Batch& batch : batches) all.push_back(batch.number);
    return all;
  };
  using Numbers = std::vector<U>;
  EXPECT_EQ(taken(), (Numbers{0, 3}));
  EXPECT_EQ(taken(), Numbers{1});
  EXPECT_EQ(taken(), Numbers{}) << "a position, and rows before it are under way";
  outbox->give_back(1);
  EXPECT_EQ(taken(), Numbers{1});
  outbox->sent(1);
  outbox->sent(3);
  EXPECT_EQ(taken(), Numbers{});
  outbox->set_aside(0);
  EXPECT_TRUE(outbox->has_aside({}));
  EXPECT_EQ(taken(), Numbers{2});
  EXPECT_EQ(outbox->take_up({}), 1U);
  EXPECT_FALSE(outbox->has_aside({}));
  EXPECT_EQ(taken(), Numbers{0});
  EXPECT_EQ(outbox->waiting(), 2U);
}

TEST(blocks, rows_of_a_series_and_of_an_id_are_of_one_shard) {
  Rows rows;
  std::mt19937_64 random(7);
  for (U i = 0; i < 600; ++i) {
    warehouse::Health10s row;
    row.series = i / 3;
    row.t = 1'795'651'200 + static_cast<std::uint32_t>(i % 2) * 86'400;
    row.hour = row.t / 3600;
    row.calls = i;
    rows.of<warehouse::Health10s>().push_back(row);
    warehouse::Frame frame;
    frame.id = random();
    rows.of<warehouse::Frame>().push_back(frame);
  }
  std::map<std::string_view, U> counts;
  std::map<U, std::uint32_t> shard_of_series;
  for (const Block& block : blocks_of(rows, 4)) {
    counts[block.table] += block.rows;
    base::Cursor in(block.bytes.view(), 0);
    for (U i = 0; i < block.rows && block.table == "health_10s"; ++i) {
      warehouse::Health10s row;
      ASSERT_TRUE(warehouse::read_row(in, row));
      EXPECT_EQ(block.shard, warehouse::shard_of(row.series, 4));
      EXPECT_EQ(shard_of_series.try_emplace(row.series, block.shard).first->second, block.shard);
    }
  }
  EXPECT_EQ(counts["health_10s"], 600U);
  EXPECT_EQ(counts["frames"], 600U);
  EXPECT_EQ(shard_of_series.size(), 200U);
}

TEST(outbox, gives_batches_in_order_once_they_are_synced) {
  const test::TemporaryFolder folder;
  const OutboxOptions options{.folder = folder.file("o")};
  auto outbox = Outbox::open(options);
  ASSERT_TRUE(outbox);
  for (U i = 0; i < 5; ++i) EXPECT_EQ(outbox->append(made_block(i)), i);
  EXPECT_FALSE(test::oldest(*outbox));
  ASSERT_TRUE(outbox->sync());
  const auto all = test::all_waiting(*outbox);
  ASSERT_EQ(all.size(), 5U);
  for (U i = 0; i < 5; ++i) {
    EXPECT_EQ(all[i].number, i);
    EXPECT_FALSE(all[i].again);
    expect_equal(all[i].block, made_block(i));
  }
  outbox->sent(0);
  outbox->sent(2);
  outbox->sent(2);
  EXPECT_EQ(test::oldest(*outbox)->number, 1U);
  EXPECT_EQ(test::all_waiting(*outbox).at(1).number, 3U);
  EXPECT_EQ(outbox->waiting(), 3U);
  outbox = tl::unexpected(base::Error{});
  outbox = Outbox::open(options);
  EXPECT_TRUE(test::oldest(*outbox)->again);
  for (U i = 0; i < 5; ++i) outbox->sent(i);
  EXPECT_EQ(outbox->append(made_block(9)), 5U);
}

TEST(outbox, batches_of_others_keep_whose_they_are) {
  const test::TemporaryFolder folder;
  auto outbox = Outbox::open({.folder = folder.file("o")});
  ASSERT_TRUE(outbox);
  Block block = made_block(7);
  block.database = "pt_shop";
  block.origin = {"edge-0123456789abcdef", ~U{0}, 3};
  {
    const auto turn = outbox->turn();
    ASSERT_TRUE(outbox->append(block));
    ASSERT_TRUE(outbox->sync());
  }
  const auto batch = test::oldest(*outbox);
  ASSERT_TRUE(batch);
  expect_equal(batch->block, block);
  EXPECT_EQ(batch->packed, pack(block));
  const auto size = unpacked_size(batch->packed);
  ASSERT_TRUE(size);
  EXPECT_TRUE(unpack(batch->packed, *size));
  EXPECT_FALSE(unpack(batch->packed, *size - 1));
}

// Rows that are no series' facts go the same way, and back.
TEST(outbox, keeps_rows_of_commands) {
  const test::TemporaryFolder folder;
  auto outbox = Outbox::open({.folder = folder.file("o")});
  ASSERT_TRUE(outbox);
  warehouse::CommandDone row;
  row.at = 1'795'651'200;  // 2026-11-26
  row.who = "boss";
  row.what = "gc";
  row.series = 7;
  row.text = "[x]";
  Block block = block_of(std::vector{row, row});
  block.database = "shop";
  EXPECT_EQ(block.day, 20'758U) << "the first of its month, as the table's partitions are";
  ASSERT_TRUE(outbox->append(block));
  ASSERT_TRUE(outbox->sync());
  const auto batch = test::oldest(*outbox);
  ASSERT_TRUE(batch);
  expect_equal(batch->block, block);
  EXPECT_EQ(outbox->damaged(), 0U);
}

TEST(outbox, blocks_end_where_they_are_enough) {
  Rows rows;
  const std::string name(1 << 20, 'n');
  for (U i = 0; i < 70; ++i) rows.of<warehouse::Frame>().push_back({.id = i, .name = name});
  const auto blocks = blocks_of(rows);
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].rows + blocks[1].rows + blocks[2].rows, 70U);
  for (const Block& block : blocks)
    EXPECT_LT(block.bytes.view().size(), kEnoughBytesOfBlock + name.size() + 64);
}

TEST(outbox, numbers_go_on_when_all_was_sent) {
  const test::TemporaryFolder folder;
  const OutboxOptions options{.folder = folder.file("o"), .file_bytes = 1000};
  for (U begin = 0; begin < 60; begin += 20) {
    auto outbox = Outbox::open(options);
    while (const auto again = test::oldest(*outbox)) outbox->sent(again->number);
    for (U i = begin; i < begin + 20; ++i) {
      ASSERT_EQ(outbox->append(made_block(i)), i);
      ASSERT_TRUE(outbox->sync());
      outbox->sent(i);
    }
    EXPECT_EQ(outbox->waiting(), 0U);
    EXPECT_LE(outbox->bytes(), 2000U);
  }
}

TEST(outbox, is_bounded_and_takes_more_when_some_was_sent) {
  const test::TemporaryFolder folder;
  auto outbox =
      Outbox::open({.folder = folder.file("o"), .bytes = 20'000, .high = 0.5, .file_bytes = 2000});
  U number = 0;
  U high = 0;
  for (;;) {
    const auto appended = outbox->append(made_block(number));
    if (!appended) {
      EXPECT_EQ(appended.error().code, base::Code::limit_exceeded);
      break;
    }
    high += !outbox->over_high();
    ASSERT_EQ(*appended, number++);
  }
  EXPECT_LE(outbox->bytes(), 20'000U);
  EXPECT_GT(outbox->bytes(), 15'000U);
  EXPECT_GT(high, number / 3);
  EXPECT_LT(high, number * 2 / 3);
  ASSERT_TRUE(outbox->sync());
  for (U i = 0; i < number; ++i) outbox->sent(i);
  EXPECT_FALSE(outbox->over_high());
  EXPECT_EQ(outbox->append(made_block(number)), number);
}

TEST(outbox, passes_over_damage_and_counts_it) {
  const test::TemporaryFolder folder;
  const OutboxOptions options{.folder = folder.file("o")};
  {
    auto outbox = Outbox::open(options);
    for (U i = 0; i < 4; ++i) ASSERT_TRUE(outbox->append(made_block(i)));
    ASSERT_TRUE(outbox->sync());
  }
  const fs::path file = fs::directory_iterator(options.folder)->path();
  const std::string whole = test::content_of(file);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    std::ofstream(file, std::ios::binary) << damaged;
    auto outbox = Outbox::open(options);
    ASSERT_TRUE(outbox);
    std::size_t right = 0;
    while (true) {
      const auto batch = test::oldest(*outbox);
      if (!batch) break;
      expect_equal(batch->block, made_block(batch->number));
      outbox->sent(batch->number);
      ++right;
    }
    EXPECT_GE(right, 3U) << at;  // some bits of a compressed frame mean nothing
    // A head at the end that is damaged is as one that was never written.
    EXPECT_LE(outbox->damaged(), 1U);
    fs::remove(file);
    for (const auto& other : fs::directory_iterator(options.folder)) fs::remove(other);
  }
}

// An outbox with what is known to wait in it: seeds by number.
struct ModelledOutbox {
  explicit ModelledOutbox(const std::string& folder)
      : options{.folder = folder, .file_bytes = 1500},
        medium(folder),
        outbox(Outbox::open(options)) {}

  void append() {
    const fs::path newest = newest_batches_in(options.folder);
    const auto number = outbox->append(made_block(seed));
    ASSERT_TRUE(number);
    EXPECT_GE(*number, next);
    next = *number + 1;
    // The file before was full, so it is synced.
    if (newest_batches_in(options.folder) != newest) synced = appended;
    appended[*number] = seed++;
  }
  void sync() {
    ASSERT_TRUE(outbox->sync());
    synced = appended;
    medium.synced();
  }
  void send() {
    const auto batch = test::oldest(*outbox);
    ASSERT_EQ(batch.has_value(), !synced.empty());
    if (!batch) return;
    ASSERT_EQ(batch->number, synced.begin()->first);
    expect_equal(batch->block, made_block(synced.begin()->second));
    outbox->sent(batch->number);
    appended.erase(batch->number);
    synced.erase(batch->number);
  }
  void kill(std::mt19937& random) {
    outbox = tl::unexpected(base::Error{});
    medium.cut(random);
    outbox = Outbox::open(options);
    ASSERT_TRUE(outbox);
    std::map<U, U> found;
    next = 0;
    for (const Outbox::Batch& batch : test::all_waiting(*outbox)) {
      EXPECT_TRUE(batch.again);
      next = batch.number + 1;
      const auto known = appended.find(batch.number);
      if (known == appended.end()) outbox->sent(batch.number);  // it was; its file was not done
      else expect_equal(batch.block, made_block(known->second));
      if (known != appended.end()) found.insert(*known);
    }
    for (const auto& one : synced) EXPECT_TRUE(found.contains(one.first));
    synced = appended = found;
    medium.synced();
  }

  OutboxOptions options;
  test::Medium medium;
  base::result<Outbox> outbox;
  std::map<U, U> appended{};
  std::map<U, U> synced{};
  U seed = 0;
  U next = 0;
};

TEST(outbox, is_what_a_model_says_wherever_it_is_killed) {
  for (unsigned round = 0; round < 15; ++round) {
    std::mt19937 random(round);
    const test::TemporaryFolder folder;
    ModelledOutbox model(folder.file("o"));
    for (int step = 0; step < 150; ++step) {
      const auto what = random() % 24;
      if (what < 4) model.sync();
      else if (what < 8) model.send();
      else if (what == 8) model.kill(random);
      else model.append();
    }
  }
}

TEST(checkpoint, keeps_the_last_state_the_definitions_and_closings_from_there_on) {
  const test::TemporaryFolder folder;
  const std::vector<std::byte> state(5, std::byte{7}), first(10, std::byte{1}),
      second(4, std::byte{2});
  {
    auto kept = Checkpoint::open(folder.file("c"));
    ASSERT_TRUE(kept);
    EXPECT_FALSE(kept->load(3).value());
    ASSERT_TRUE(kept->note(3, {2, 100}) && kept->note(3, {8, 200}) && kept->note(4, {1, 50}));
    ASSERT_TRUE(kept->define(3, 0, first) && kept->define(3, 10, second));
    ASSERT_TRUE(kept->sync());
    ASSERT_TRUE(kept->keep(3, {5, 500, 10, state}));
    ASSERT_TRUE(kept->define(3, 10, first));  // of a state that was never kept
  }
  for (int i = 0; i < 2; ++i) {
    auto kept = Checkpoint::open(folder.file("c"));
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->streams(), std::vector<U>{3});
    const auto known = kept->load(3).value();
    ASSERT_TRUE(known);
    EXPECT_EQ(std::tie(known->saved.done, known->saved.offset), std::tuple(5U, 500U));
    EXPECT_EQ(known->saved.state, state);
    EXPECT_EQ(known->definitions, first);
    ASSERT_EQ(known->closings.size(), 1U);
    EXPECT_EQ(known->closings[0].block, 8U);
    EXPECT_EQ(kept->load(4).value()->closings.size(), 1U);
  }
  const std::string name = folder.file("c/0000000000000003.state");
  const std::string whole = test::content_of(name);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    folder.write("c/0000000000000003.state", damaged);
    auto kept = Checkpoint::open(folder.file("c"));
    EXPECT_FALSE(kept->load(3).value());
    EXPECT_EQ(kept->damaged(), 1U);
  }
  auto kept = Checkpoint::open(folder.file("c"));
  kept->forget(3);
  EXPECT_TRUE(kept->streams().empty());
  EXPECT_FALSE(kept->load(3).value());
}

}  // namespace
}  // namespace polytrace::collector
