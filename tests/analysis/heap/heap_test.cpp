// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include <map>
#include <random>

#include "analysis/asked.hpp"
#include "analysis/dumped.hpp"
#include "analysis/heap/graph/object_types.hpp"

namespace polytrace::test {
namespace {

using analysis::make_heap;
using event::Dump;
using event::DumpStage;

constexpr base::Id kList = 0x100, kItem = 0x200;

// A list of two items and of one that is not there, told in two parts.
void first_snapshot(Stream& main) {
  main.type(kList, "List").type(kItem, "Item");
  main.add(10, 0, Dump{DumpStage::start, {}});
  main.add(11, 0x9000, object(kItem, 16));
  main.add(12, 0x1000, object(kList, 100, main.refs({0x9000, 0x2000})));
  main.add(13, 0x2000, object(kItem, 24, main.refs({0x1000})));
  main.add(14, 0x1000, object(kList, 0, main.refs({0x7777770})));
  main.add(15, 0x2000, event::Root{});
  main.add(16, 0, Dump{DumpStage::end, {}});
}

TEST(heap, objects_bytes_and_references) {
  event::Batch batch;
  Stream main(batch, kMain);
  first_snapshot(main);
  Asked asked(make_heap({}));
  asked.feed(batch).finish();
  const Table snapshots = asked.table("heap_snapshots");
  ASSERT_EQ(snapshots.rows.size(), 1U);
  EXPECT_EQ(number(snapshots, 0, "start"), 10U);
  EXPECT_EQ(number(snapshots, 0, "objects"), 3U);
  EXPECT_EQ(number(snapshots, 0, "bytes"), 140U);
  EXPECT_EQ(number(snapshots, 0, "references"), 4U);
  EXPECT_EQ(number(snapshots, 0, "outside"), 1U);
  EXPECT_EQ(number(snapshots, 0, "roots"), 1U);
  const Table classes = asked.table("heap_classes");
  ASSERT_EQ(classes.rows.size(), 2U);
  EXPECT_EQ(text(classes, 0, "class"), "List");
  EXPECT_EQ(number(classes, 0, "objects"), 1U);
  EXPECT_EQ(text(classes, 1, "class"), "Item");
  EXPECT_EQ(number(classes, 1, "bytes"), 40U);
  EXPECT_TRUE(unknown(classes, 1, "bytes_growth"));
  const Table references = asked.table("heap_references");
  ASSERT_EQ(references.rows.size(), 3U);
  EXPECT_EQ(text(references, 0, "from"), "List");
  EXPECT_EQ(text(references, 0, "to"), "Item");
  EXPECT_EQ(number(references, 0, "count"), 2U);
  std::map<std::string, std::uint64_t> rest;
  for (std::size_t i = 1; i < 3; ++i)
    rest[text(references, i, "from") + ">" + text(references, i, "to")] =
        number(references, i, "count");
  EXPECT_EQ(rest["Item>List"], 1U);
  EXPECT_EQ(rest["List>(not in the snapshot)"], 1U);
}

TEST(heap, growth_between_snapshots_that_span_batches) {
  event::Batch batch;
  Stream main(batch, kMain);
  first_snapshot(main);
  main.add(20, 0, Dump{DumpStage::start, {}});
  main.add(21, 0x2000, object(kItem, 30));
  event::Batch between;  // another thread's stream lies in the middle
  Stream(between, kOther).add(22, 1, event::Enter{});
  event::Batch rest;
  Stream(rest, kMain).add(23, 0x3000, object(kItem, 50)).add(24, 0, Dump{DumpStage::end, {}});
  Asked asked(make_heap({}));
  asked.feed(batch).feed(between).feed(rest).finish();
  const Table growth = asked.table("heap_growth");
  ASSERT_EQ(growth.rows.size(), 2U);
  EXPECT_EQ(text(growth, 0, "class"), "Item");
  EXPECT_EQ(number(growth, 0, "bytes_growth"), 40U);
  EXPECT_EQ(text(growth, 0, "series"), "40,80");
  EXPECT_EQ(std::get<std::int64_t>(cell(growth, 1, "bytes_growth")), -100);
  EXPECT_EQ(std::get<std::int64_t>(cell(growth, 1, "objects_growth")), -1);
  const Table last = asked.table("heap_classes", {"", 20});
  ASSERT_EQ(last.rows.size(), 1U);
  EXPECT_EQ(number(last, 0, "snapshot"), 1U);
  EXPECT_EQ(number(last, 0, "objects_growth"), 0U);
  EXPECT_EQ(asked.table("heap_classes").rows.size(), 3U);
  EXPECT_EQ(asked.headlines().size(), 2U);
}

TEST(heap, a_snapshot_that_is_cut_short_is_said) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(1, 0x10, object(kItem, 8))  // outside any snapshot
      .add(2, 0, Dump{DumpStage::start, {}})
      .add(3, 0x20, object(kItem, 8));
  Asked asked(make_heap({}));
  asked.feed(batch).finish();
  const Table table = asked.table("heap_snapshots");
  EXPECT_EQ(number(table, 0, "objects"), 1U);
  EXPECT_EQ(table.notes.size(), 2U);
}

TEST(heap, selected_by_start) {
  event::Batch batch;
  Stream main(batch, kMain);
  first_snapshot(main);
  main.add(20, 0, Dump{DumpStage::start, {}}).add(21, 0, Dump{DumpStage::end, {}});
  slice::Selection selection;
  selection.from = 15;
  const Table table = Asked(make_heap({selection})).feed(batch).finish().table("heap_snapshots");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(number(table, 0, "start"), 20U);
}

// A root holds a list of `items`; those are the only large objects.
std::vector<analysis::Suspect> suspects_of(std::uint64_t item_size, bool wanted,
                                           bool complete = true) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.type(kItem, "Item").type(kList, "List").add(1, 0, Dump{DumpStage::start, {}});
  main.add(1, 0x100, event::Root{});
  main.add(1, 0x100, object(kList, 64, main.refs({0x200, 0x300, 0x400})));
  for (const base::Id item : {0x200U, 0x300U, 0x400U}) main.add(1, item, object(kItem, item_size));
  if (complete) main.add(2, 0, Dump{DumpStage::end, {}});
  Asked asked(make_heap({.tells_suspects = wanted}));
  asked.feed(batch).finish();
  return asked.analysis->suspects(asked.slicer.names());
}

TEST(heap, what_fills_the_last_complete_snapshot_is_a_suspect_of_a_report) {
  constexpr std::uint64_t kMuch = 100'000;
  constexpr bool kWanted = true;
  const auto told = suspects_of(kMuch, kWanted);
  ASSERT_EQ(told.size(), 1U);  // of the list and its items the one that retains most
  EXPECT_EQ(told[0].fault, "full heap");
  EXPECT_EQ(told[0].what, "List");
  EXPECT_EQ(told[0].why, "retains 293 KiB, 100.0 % of the heap: holds 3 Item with 293 KiB");
  EXPECT_TRUE(suspects_of(10, kWanted).empty());
  EXPECT_TRUE(suspects_of(kMuch, kWanted, false).empty());
  EXPECT_TRUE(suspects_of(kMuch, !kWanted).empty());
}

TEST(heap, many_classes_count_the_same) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.add(1, 0, Dump{DumpStage::start, {}});
  constexpr base::Id kMany = 1500;
  for (base::Id i = 0; i < kMany; ++i)
    main.add(2, 0x1000 + i * 8, object(0x100000 + i, 8, main.refs({0x1000, 0x1008})));
  main.add(3, 0, Dump{DumpStage::end, {}});
  Asked asked(make_heap({}));
  asked.feed(batch).finish();
  EXPECT_EQ(asked.table("heap_references").rows.size(), 2 * kMany);
  EXPECT_EQ(number(asked.table("heap_snapshots"), 0, "references"), 2 * kMany);
}

// Against a plain map, with aligned, odd, dense and far addresses.
TEST(object_types, finds_what_was_set_and_nothing_else) {
  using Types = analysis::ObjectTypes<std::uint16_t>;
  std::mt19937_64 random(7);
  Types types;
  for (int round = 0; round < 3; ++round) {
    types.clear();
    std::map<base::Id, std::uint16_t> plain;
    for (int i = 0; i < 20000; ++i) {
      const base::Id address = i % 4 == 0   ? random()
                               : i % 4 == 1 ? base::Id(i)
                                            : 0x7f00'0000'0000U + random() % 100000 * 8;
      const auto type = static_cast<std::uint16_t>(random() % 60000);
      const auto known = plain.find(address);
      ASSERT_EQ(types.at(address), known == plain.end() ? Types::kNone : known->second);
      types.at(address) = plain[address] = type;
    }
    for (const auto& [address, type] : plain) ASSERT_EQ(*types.find(address), type);
    for (int i = 0; i < 20000; ++i) {
      const base::Id address = random();
      if (plain.contains(address)) continue;
      ASSERT_EQ(*types.find(address), Types::kNone);
    }
  }
}

}  // namespace
}  // namespace polytrace::test
