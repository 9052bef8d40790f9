// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/questions.hpp"

#include "analysis/asked.hpp"
#include "analysis/dumped.hpp"
#include "analysis/heap/growth.hpp"
#include "analysis/heap/study.hpp"

namespace polytrace::test {
namespace {

using analysis::HeapStudy;
using analysis::HeapView;
using event::Dump;
using event::DumpStage;

constexpr base::Id kMainThread = 1;
constexpr base::Id kCache = 0x100, kThing = 0x200, kText = 0x300;
constexpr unsigned kItems = 12;  // of the last snapshot: none of them is large
const analysis::TableOptions kAll{"", 0};

// A cache, which a root holds, of `items` items with a text each; a text that two share; garbage.
void snapshot(Stream& main, base::Time time, unsigned items) {
  main.add(time, 0, Dump{DumpStage::start, {}});
  event::Root root;
  root.type = "static field";
  main.add(time, 0x1000, root);
  for (unsigned i = 0; i < items; ++i) {
    const base::Id item = 0x2000 + i * 0x100;
    main.add(time, 0x1000, object(kCache, i == 0 ? 40 : 0, main.refs({item})));
    main.add(time, item, object(kThing, 100, main.refs({item + 0x10, 0x1800})));
    main.add(time, item + 0x10, object(kText, 30));
  }
  main.add(time, 0x1800, object(kText, 50));
  main.add(time, 0x1900, object(kText, 7));
  main.add(time, 0, Dump{DumpStage::end, {}});
}

struct Studied {
  HeapStudy study{std::nullopt};
  analysis::Dominators dominators;

  Studied() {
    event::Batch batch;
    Stream main(batch, kMainThread);
    main.type(kCache, "Cache").type(kThing, "Item").type(kText, "Text");
    snapshot(main, 10, 2);
    snapshot(main, 20, kItems);
    study.consume(batch);
    study.finish();
    dominators = analysis::Dominators::of(study.graph());
  }
  HeapView view() const { return {study.graph(), dominators, study.names()}; }
};

std::size_t row_of(const Table& table, std::string_view column, std::string_view name) {
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    if (text(table, row, column) == name) return row;
  ADD_FAILURE() << "no row of " << name;
  return 0;
}

TEST(heap_questions, classes_retain_nothing_twice) {
  const Studied studied;
  const Table table = class_table(studied.view(), kAll);
  const std::size_t cache = row_of(table, "class", "Cache");
  EXPECT_EQ(number(table, cache, "retained"), 40U + kItems * 130 + 50);
  const std::size_t item = row_of(table, "class", "Item");
  EXPECT_EQ(number(table, item, "objects"), kItems);
  EXPECT_EQ(number(table, item, "retained"), kItems * 130);
  EXPECT_EQ(number(table, row_of(table, "class", "Text"), "bytes"), kItems * 30 + 57);
}

TEST(heap_questions, path_and_referrers) {
  const Studied studied;
  const HeapView view = studied.view();
  const Table path = path_table(view, view.find("0x2110"), kAll);
  ASSERT_EQ(path.rows.size(), 3U);
  EXPECT_EQ(text(path, 0, "class"), "Cache");
  EXPECT_EQ(text(path, 0, "root"), "static field");
  EXPECT_EQ(text(path, 2, "object"), "0x2110");
  EXPECT_TRUE(path_table(view, view.find("0x1900"), kAll).rows.empty());
  const Table of_class = class_referrers(view, "Text", kAll);
  ASSERT_EQ(of_class.rows.size(), 1U);
  EXPECT_EQ(number(of_class, 0, "references"), 2 * kItems);
  EXPECT_EQ(number(of_class, 0, "from_objects"), kItems);
  EXPECT_EQ(object_referrers(view, view.find("0x1800"), kAll).rows.size(), kItems);
  EXPECT_EQ(object_referrers(view, view.find("0x1000"), kAll).rows.size(), 1U);
}

TEST(heap_questions, finds_by_id_name_and_part_of_it) {
  const Studied studied;
  const HeapView view = studied.view();
  EXPECT_EQ(view.graph.id(view.find("Cache")), 0x1000U);
  EXPECT_EQ(view.graph.id(view.find("ach")), 0x1000U);
  EXPECT_EQ(view.graph.id(view.find("Text")), 0x1800U);
  EXPECT_EQ(view.find("0x99"), analysis::HeapGraph::kNone);
  EXPECT_EQ(view.find("Nothing"), analysis::HeapGraph::kNone);
}

TEST(heap_questions, what_no_root_reaches) {
  const Studied studied;
  const Table table = unreachable_table(studied.view(), kAll);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(text(table, 0, "class"), "Text");
  EXPECT_EQ(number(table, 0, "bytes"), 7U);
}

TEST(heap_questions, suspects_with_their_reasons) {
  const Studied studied;
  const Table table = suspect_table(studied.view(), studied.study.snapshots(), kAll);
  ASSERT_GE(table.rows.size(), 2U);
  EXPECT_EQ(text(table, 0, "class"), "Cache");
  EXPECT_EQ(text(table, 0, "reason"), "holds 12 Item with 1.52 KiB");
  EXPECT_EQ(text(table, 1, "class"), "Item");
  EXPECT_NE(text(table, 1, "reason").find("10 objects more in 2 snapshots"), std::string::npos);
}

// A root for each of `items`; the first is of another size.
std::vector<std::string> suspects_among(unsigned items, std::uint64_t first_size) {
  event::Batch batch;
  Stream main(batch, kMainThread);
  main.type(kThing, "Item").add(10, 0, Dump{DumpStage::start, {}});
  for (unsigned i = 0; i < items; ++i) {
    main.add(10, 0x2000 + i * 0x100, object(kThing, i == 0 ? first_size : 100));
    main.add(10, 0x2000 + i * 0x100, event::Root{});
  }
  main.add(10, 0, Dump{DumpStage::end, {}});
  HeapStudy study(std::nullopt);
  study.consume(batch);
  study.finish();
  const auto dominators = analysis::Dominators::of(study.graph());
  const Table table =
      suspect_table({study.graph(), dominators, study.names()}, study.snapshots(), kAll);
  std::vector<std::string> reasons;
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    reasons.push_back(text(table, row, "reason"));
  return reasons;
}

TEST(heap_questions, many_of_one_class_are_a_suspect_unless_it_is_one_of_them) {
  using Reasons = std::vector<std::string>;
  EXPECT_EQ(suspects_among(50, 100), Reasons{"50 objects that nothing single holds"});
  EXPECT_EQ(suspects_among(50, 9000), Reasons{"it is that large itself"});
}

TEST(heap_questions, growth_by_name_also_of_what_came_and_went) {
  const std::vector<analysis::NamedFigures> before{{"A", 1, 10}, {"B", 2, 50}};
  const std::vector<analysis::NamedFigures> after{{"A", 4, 40}, {"C", 1, 5}};
  const Table table = growth_table(analysis::growth_between(before, after), kAll);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(text(table, 0, "class"), "A");
  EXPECT_EQ(number(table, 0, "objects_growth"), 3U);
  EXPECT_EQ(text(table, 1, "class"), "C");
  EXPECT_EQ(number(table, 2, "bytes_growth"), static_cast<std::uint64_t>(-50));
}

TEST(heap_study, takes_the_last_complete_snapshot_or_the_one_that_is_wanted) {
  event::Batch batch;
  Stream main(batch, kMainThread);
  snapshot(main, 10, 2);
  snapshot(main, 20, 3);
  main.add(30, 0, Dump{DumpStage::start, {}}).add(30, 0x5000, object(kThing, 8));
  HeapStudy last(std::nullopt), first(0), none(7);
  for (HeapStudy* study : {&last, &first, &none}) {
    study->consume(batch);
    study->finish();
    EXPECT_EQ(study->snapshots().size(), 3U);
  }
  EXPECT_EQ(last.chosen(), 1U);
  EXPECT_EQ(last.graph().objects(), 9U);
  EXPECT_EQ(first.chosen(), 0U);
  EXPECT_EQ(first.graph().objects(), 7U);
  EXPECT_FALSE(none.chosen());
}

}  // namespace
}  // namespace polytrace::test
