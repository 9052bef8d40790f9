// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/allocated.hpp"

#include "analysis/asked.hpp"
#include "analysis/dumped.hpp"
#include "analysis/heap/questions.hpp"
#include "analysis/heap/study.hpp"

namespace polytrace::test {
namespace {

constexpr base::Id kShopClass = 0x10, kOrderClass = 0x20;

event::Alloc allocation(base::Id object, std::uint64_t size) {
  event::Alloc out;
  out.object = object;
  out.size = size;
  return out;
}

// A snapshot without classes and sizes: a root, which was not seen made, refers to two objects, one
// of which moved; an id was used before.
TEST(heap_allocated, names_of_a_snapshot_are_objects_by_their_allocations) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.type(kShopClass, "Shop").type(kOrderClass, "Order");
  main.add(1, kShopClass, allocation(0x300, 1000)).add(2, kOrderClass, allocation(0x300, 24));
  event::Move move;
  move.to = 0x500;
  main.add(3, kOrderClass, allocation(0x400, 40)).add(4, 0x400, move);
  main.add(5, 1, event::Dump{});
  event::Root root;
  root.class_id = kShopClass;
  main.add(5, 0x100, root);
  for (const base::Id target : {0x300U, 0x500U})
    main.add(5, 0x100, object(base::kNoId, 0, main.refs({target})));
  main.add(5, 0x300, object(base::kNoId, 0, main.refs({0x500})));
  analysis::HeapStudy study(std::nullopt);
  study.consume(batch);
  study.finish();
  ASSERT_EQ(study.graph().objects(), 3U);
  EXPECT_EQ(study.graph().outside(), 0U);
  const auto dominators = analysis::Dominators::of(study.graph());
  const analysis::HeapView view{study.graph(), dominators, study.names()};
  const Table table = class_table(view, {"", 0});
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(text(table, 0, "class"), "Order");
  EXPECT_EQ(number(table, 0, "objects"), 2U);
  EXPECT_EQ(number(table, 0, "bytes"), 64U);
  EXPECT_EQ(text(table, 1, "class"), "Shop");
  EXPECT_EQ(number(table, 1, "retained"), 64U);
  ASSERT_EQ(study.snapshots().size(), 1U);
  EXPECT_EQ(study.snapshots()[0].bytes, 64U);
}

}  // namespace
}  // namespace polytrace::test
