// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/graph/weak.hpp"

#include "analysis/asked.hpp"
#include "analysis/heap/questions.hpp"
#include "analysis/heap/study.hpp"

namespace polytrace::test {
namespace {

using analysis::HeapStudy;
using event::RefStrength;

const analysis::TableOptions kEverything{"", 0};
constexpr base::Id kRooted = 0x10, kRefers = 0x20, kReferent = 0x30, kPart = 0x40, kKept = 0x50;
constexpr base::Id kHandled = 0x60;
constexpr std::uint64_t kSize = 8;

// A root refers to an object whose first reference is of `strength`, and which keeps another one;
// the referent has a part. One more object lies behind a weak handle.
struct WeakHeap {
  HeapStudy study;
  analysis::Dominators dominators;

  explicit WeakHeap(RefStrength strength, RefStrength keeps = RefStrength::soft)
      : study(std::nullopt, keeps) {
    event::Batch batch;
    Stream main(batch, 1);
    main.type(0x100, "Thing").add(10, 0, event::Dump{});
    main.add(10, kRooted, event::Root{});
    event::Root handle;
    handle.flags = 0x202;
    main.add(10, kHandled, handle);
    add(main, kRooted, {kRefers});
    add(main, kRefers, {kReferent, kKept}, strength);
    add(main, kReferent, {kPart});
    for (const base::Id leaf : {kPart, kKept, kHandled}) add(main, leaf, {});
    main.add(10, 0, event::Dump{event::DumpStage::end, {}});
    study.consume(batch);
    study.finish();
    dominators = analysis::Dominators::of(study.graph());
  }
  static void add(Stream& main, base::Id id, std::initializer_list<base::Id> targets,
                  RefStrength first = RefStrength::unknown) {
    event::DumpObject object;
    object.class_id = 0x100;
    object.size = kSize;
    object.refs = main.refs(targets);
    object.first_ref = first;
    main.add(10, id, object);
  }
  analysis::HeapView view() const { return {study.graph(), dominators, study.names()}; }
  std::uint64_t retained(base::Id id) const { return dominators.retained(study.graph().find(id)); }
  analysis::Table path(base::Id id) const {
    return path_table(view(), study.graph().find(id), kEverything);
  }
};

TEST(heap_weak, weak_final_and_phantom_references_keep_nothing_alive) {
  for (const auto strength : {RefStrength::weak, RefStrength::final, RefStrength::phantom}) {
    const WeakHeap heap(strength);
    EXPECT_EQ(heap.retained(kRooted), 3 * kSize);
    EXPECT_EQ(heap.retained(kReferent), 0U);
    ASSERT_EQ(heap.study.graph().weak_references().size(), 2U);
    EXPECT_EQ(heap.study.graph().weak_references()[0].strength, strength);
  }
}

TEST(heap_weak, soft_references_do_unless_asked_otherwise) {
  EXPECT_EQ(WeakHeap(RefStrength::soft).retained(kRooted), 5 * kSize);
  EXPECT_EQ(WeakHeap(RefStrength::soft, RefStrength::unknown).retained(kRooted), 3 * kSize);
  EXPECT_EQ(WeakHeap(RefStrength::phantom, RefStrength::phantom).retained(kRooted), 5 * kSize);
}

TEST(heap_weak, what_is_reached_only_weakly_is_told) {
  const WeakHeap heap(RefStrength::weak);
  const Table table = unreachable_table(heap.view(), kEverything);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(number(table, 0, "objects"), 3U);
  EXPECT_EQ(number(table, 0, "weak_objects"), 3U);
  EXPECT_EQ(number(table, 0, "weak_bytes"), 3 * kSize);
}

TEST(heap_weak, paths_have_weak_steps_where_there_is_no_other_way) {
  const WeakHeap heap(RefStrength::phantom);
  const Table strong = heap.path(kKept);
  EXPECT_EQ(strong.rows.size(), 3U);
  EXPECT_TRUE(strong.notes.empty());
  const Table weak = heap.path(kPart);
  ASSERT_EQ(weak.rows.size(), 4U);
  EXPECT_EQ(text(weak, 2, "strength"), "phantom");
  EXPECT_EQ(weak.notes.size(), 1U);
  const Table handled = heap.path(kHandled);
  ASSERT_EQ(handled.rows.size(), 1U);
  EXPECT_EQ(text(handled, 0, "root"), "handle");
}

TEST(heap_weak, referrers_say_how_they_refer) {
  const WeakHeap heap(RefStrength::weak);
  const Table one = object_referrers(heap.view(), heap.study.graph().find(kReferent), kEverything);
  ASSERT_EQ(one.rows.size(), 1U);
  EXPECT_EQ(text(one, 0, "object"), "0x20");
  EXPECT_EQ(text(one, 0, "strength"), "weak");
  const Table all = class_referrers(heap.view(), "Thing", kEverything);
  ASSERT_EQ(all.rows.size(), 3U);
  EXPECT_EQ(number(all, 0, "references"), 3U);
  EXPECT_EQ(number(all, 1, "references"), 1U);
  EXPECT_TRUE(text(all, 1, "class").starts_with("(root"));
  EXPECT_EQ(text(all, 2, "strength"), "weak");
  EXPECT_EQ(number(all, 2, "references"), 1U);
}

}  // namespace
}  // namespace polytrace::test
