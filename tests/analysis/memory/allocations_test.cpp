// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include "analysis/asked.hpp"

namespace polytrace::test {
namespace {

using analysis::make_allocations;
using event::Alloc;
using event::Enter;
using event::Leave;

constexpr base::Id kString = 0x100, kNode = 0x200, kNodeTable = 0x280;

// Main -> Work -> (wrapper alloc); 3 strings of 10, 20 and 30 bytes, a node of 24 elsewhere.
void mixed(event::Batch& batch) {
  Stream main(batch, kMain);
  main.type(kString, "String").type(kNode, "Node");
  main.method(1, "App:Main ()").method(2, "App:Work ()").method(3, "(wrapper alloc) object:Alloc");
  main.add(100, kString, Alloc{0x1000, 10, main.stack({1, 2, 3}), 0, 0});
  main.add(200, kString, Alloc{0x1010, 20, main.stack({1, 3}), 0, 0});
  main.add(300, kString, Alloc{0x1020, 30, main.stack({1, 2, 3}), 0, 0});
  Stream other(batch, kOther);
  other.add(250, kNodeTable, Alloc{0x2000, 24, {}, 0, 0});
  other.add(0, kNodeTable, event::Vtable{0, kNode});
}

TEST(allocations, by_class) {
  event::Batch batch;
  mixed(batch);
  const Table table = Asked(make_allocations({})).feed(batch).finish().table("allocations");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(text(table, 0, "class"), "String");
  EXPECT_EQ(number(table, 0, "count"), 3U);
  EXPECT_EQ(number(table, 0, "bytes"), 60U);
  EXPECT_EQ(std::get<double>(cell(table, 0, "average")), 20.0);
  EXPECT_EQ(text(table, 1, "class"), "Node");
  EXPECT_EQ(number(table, 1, "bytes"), 24U);
}

TEST(allocations, sampled_ones_count_for_all_they_stand_for) {
  event::Batch batch;
  Stream(batch, kMain)
      .type(kNode, "Node")
      .add(1, kNode, Alloc{1, 8, {}, 1000, 0})
      .add(2, kNode, Alloc{2, 100, {}, 0, 0});
  const Table table = Asked(make_allocations({})).feed(batch).finish().table("allocations");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(number(table, 0, "count"), 1001U);
  EXPECT_EQ(number(table, 0, "bytes"), 8100U);
  ASSERT_EQ(table.notes.size(), 2U);
  EXPECT_EQ(table.notes[1],
            "Estimated from 1 sampled object: each counts for all that it represents.");
}

TEST(allocations, vtable_told_in_a_later_batch_is_the_same_class) {
  event::Batch batch;
  Stream(batch, kMain).add(1, kNodeTable, Alloc{1, 8, {}, 0, 0});
  event::Batch later;
  Stream(later, kMain)
      .type(kNode, "Node")
      .add(0, kNodeTable, event::Vtable{0, kNode})
      .add(2, kNodeTable, Alloc{2, 8, {}, 0, 0});
  const Table table =
      Asked(make_allocations({})).feed(batch).feed(later).finish().table("allocations");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(number(table, 0, "count"), 2U);
}

TEST(allocations, site_is_the_innermost_frame_that_is_no_helper) {
  event::Batch batch;
  mixed(batch);
  Asked asked(make_allocations({}));
  const Table table = asked.feed(batch).finish().table("allocation_sites");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(text(table, 0, "site"), "App:Work ()");
  EXPECT_EQ(number(table, 0, "bytes"), 40U);
  EXPECT_EQ(text(table, 1, "site"), "(no stack recorded)");
  EXPECT_EQ(number(table, 1, "bytes"), 24U);
  EXPECT_EQ(text(table, 2, "site"), "App:Main ()");
  EXPECT_EQ(number(table, 2, "bytes"), 20U);
}

TEST(allocations, helpers_are_shown_when_asked_for) {
  event::Batch batch;
  mixed(batch);
  slice::Selection selection;
  selection.show_helpers = true;
  const Table table =
      Asked(make_allocations({selection})).feed(batch).finish().table("allocation_sites");
  EXPECT_EQ(text(table, 0, "site"), "(wrapper alloc) object:Alloc");
  EXPECT_EQ(number(table, 0, "bytes"), 60U);
}

TEST(allocations, stacks_as_a_tree) {
  event::Batch batch;
  mixed(batch);
  Asked asked(make_allocations({}));
  const Table table = asked.feed(batch).finish().table("allocation_stacks");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(number(table, 0, "depth"), 0U);
  EXPECT_EQ(text(table, 0, "method"), "App:Main ()");
  EXPECT_EQ(number(table, 0, "bytes"), 60U);
  EXPECT_EQ(number(table, 0, "self_bytes"), 20U);
  EXPECT_EQ(number(table, 1, "depth"), 1U);
  EXPECT_EQ(number(table, 1, "count"), 2U);
  EXPECT_EQ(number(table, 1, "self_bytes"), 40U);

  const Table cut = asked.table("allocation_stacks", {"", 1});
  EXPECT_EQ(cut.rows.size(), 2U);  // the heaviest stack and its caller
  EXPECT_EQ(cut.rows_left_out, 1U);
}

TEST(allocations, by_thread_and_selection) {
  event::Batch batch;
  mixed(batch);
  Asked all(make_allocations({}));
  EXPECT_EQ(number(all.feed(batch).finish().table("allocation_threads"), 1, "bytes"), 24U);

  slice::Selection selection;
  selection.from = 200, selection.to = 300, selection.threads = event::ThreadChoice({kMain});
  Asked some(make_allocations({selection}));
  const Table table = some.feed(batch).finish().table("allocations");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(number(table, 0, "bytes"), 20U);

  selection = {};
  selection.name = event::NameChoice("Nod");
  Asked named(make_allocations({selection}));
  const Table nodes = named.feed(batch).finish().table("allocations");
  ASSERT_EQ(nodes.rows.size(), 1U);
  EXPECT_EQ(text(nodes, 0, "class"), "Node");
}

TEST(allocations, without_stack_count_for_the_recorded_call) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.method(1, "Main").method(2, "Callee").method(9, "Stray");
  main.add(1, 1, Enter{}).add(2, kNode, Alloc{1, 8, {}, 0, 0});
  main.add(3, 2, Enter{}).add(4, kNode, Alloc{2, 16, {}, 0, 0});
  main.add(5, 9, Leave{});  // never entered: no change
  main.add(6, kNode, Alloc{3, 32, {}, 0, 0});
  main.add(7, 1, Leave{});  // ends the callee, too
  main.add(8, kNode, Alloc{4, 64, {}, 0, 0});
  const Table table = Asked(make_allocations({})).feed(batch).finish().table("allocation_sites");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(text(table, 0, "site"), "(no stack recorded)");
  EXPECT_EQ(number(table, 0, "bytes"), 64U);
  EXPECT_EQ(text(table, 1, "site"), "Callee");
  EXPECT_EQ(number(table, 1, "bytes"), 48U);
  EXPECT_EQ(text(table, 2, "site"), "Main");
}

TEST(allocations, a_thread_id_used_again_has_a_fresh_stack) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.method(1, "Main");
  main.add(1, 1, Enter{}).add(2, kNode, Alloc{1, 8, {}, 0, 0});
  event::Thread end;
  end.life = event::Life::end;
  main.add(3, kMain, end);
  main.add(4, kNode, Alloc{2, 16, {}, 0, 0});
  const Table table = Asked(make_allocations({})).feed(batch).finish().table("allocation_sites");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(text(table, 0, "site"), "(no stack recorded)");
  EXPECT_EQ(number(table, 0, "bytes"), 16U);
}

TEST(allocations, a_method_id_defined_again_is_another_method) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.method(1, "Old").add(1, kNode, Alloc{1, 8, main.stack({1}), 0, 0});
  main.method(1, "New").add(2, kNode, Alloc{2, 16, main.stack({1}), 0, 0});
  const Table table = Asked(make_allocations({})).feed(batch).finish().table("allocation_sites");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(text(table, 0, "site"), "New");
  EXPECT_EQ(number(table, 0, "bytes"), 16U);
  EXPECT_EQ(text(table, 1, "site"), "Old");
}

TEST(allocations, over_time_never_more_than_sixty_rows_and_nothing_lost) {
  event::Batch batch;
  Stream main(batch, kMain);
  for (const base::Time time : {base::Time{5}, base::Time{-9'000'000'000'000'000'000},
                                base::Time{9'000'000'000'000'000'000}, base::Time{0}})
    main.add(time, kNode, Alloc{1, 8, {}, 0, 0});
  for (base::Time time = 0; time < 1'000'000'000; time += 1'000'003)
    main.add(time, kNode, Alloc{1, 8, {}, 0, 0});
  const Table table = Asked(make_allocations({})).feed(batch).finish().table("allocation_times");
  EXPECT_LE(table.rows.size(), 60U);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) sum += number(table, i, "count");
  EXPECT_EQ(sum, batch.events.size());
}

TEST(allocations, headline) {
  event::Batch batch;
  mixed(batch);
  Asked asked(make_allocations({}));
  EXPECT_EQ(asked.feed(batch).finish().headlines(),
            std::vector<std::string>{"84 B allocated in 4 objects; 71.4 % of it String."});
  EXPECT_TRUE(Asked(make_allocations({})).finish().headlines().empty());
}

}  // namespace
}  // namespace polytrace::test
