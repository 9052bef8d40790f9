// SPDX-License-Identifier: Apache-2.0
#include "analysis/calls/calls.hpp"

#include <gtest/gtest.h>

#include <random>

#include "analysis/calls/calltree.hpp"
#include "analysis/recording.hpp"
#include "analysis/sections.hpp"

namespace polytrace::analysis {
namespace {

using U = std::uint64_t;

Table methods(const Calls& calls, const Recording& r) { return calls.tables(r.names(), {})[0]; }
Cell figure(const Calls& calls, const Recording& r, const char* method, const char* key) {
  return cell(methods(calls, r), method, key);
}

TEST(calls, counts_total_self_shortest_and_longest) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.name(1, "Main").name(2, "Work");
  r.enter(0, 1).enter(10, 2).leave(30, 2).enter(40, 2).leave(45, 2).leave(100, 1).finish();
  EXPECT_EQ(figure(calls, r, "Main", "total"), Cell{U{100}});
  EXPECT_EQ(figure(calls, r, "Main", "self"), Cell{U{75}});
  EXPECT_EQ(figure(calls, r, "Work", "calls"), Cell{U{2}});
  EXPECT_EQ(figure(calls, r, "Work", "total"), Cell{U{25}});
  EXPECT_EQ(figure(calls, r, "Work", "average"), Cell{12.5});
  EXPECT_EQ(figure(calls, r, "Work", "least"), Cell{U{5}});
  EXPECT_EQ(figure(calls, r, "Work", "most"), Cell{U{20}});
  EXPECT_EQ(figure(calls, r, "Work", "self_share"), Cell{25.0});
  EXPECT_TRUE(methods(calls, r).notes.empty());
}

TEST(calls, each_level_of_a_recursion_counts_in_total_but_once_in_elapsed) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.name(1, "Fib");
  r.enter(0, 1).enter(10, 1).leave(20, 1).leave(50, 1).finish();
  EXPECT_EQ(figure(calls, r, "Fib", "total"), Cell{U{60}});
  EXPECT_EQ(figure(calls, r, "Fib", "elapsed"), Cell{U{50}});
  EXPECT_EQ(figure(calls, r, "Fib", "self"), Cell{U{50}});
}

TEST(calls, methods_of_one_name_have_one_row) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.name(1, "Main").name(2, "Plugin:Run").name(3, "Plugin:Run");  // of two class loaders
  r.enter(0, 1).enter(10, 2).leave(30, 2).enter(40, 3).leave(45, 3).leave(100, 1).finish();
  EXPECT_EQ(methods(calls, r).rows.size(), 2U);
  EXPECT_EQ(figure(calls, r, "Plugin:Run", "calls"), Cell{U{2}});
  EXPECT_EQ(figure(calls, r, "Plugin:Run", "total"), Cell{U{25}});
  EXPECT_EQ(figure(calls, r, "Plugin:Run", "self"), Cell{U{25}});
  EXPECT_EQ(figure(calls, r, "Plugin:Run", "least"), Cell{U{5}});
  EXPECT_EQ(figure(calls, r, "Plugin:Run", "p95"), Cell{U{20}});
}

event::SummaryBegin sum(U calls, base::Duration total, base::Duration least, base::Duration most) {
  return {.calls = calls, .total = total, .least = least, .most = most};
}

// Main calls Work 100 times, which calls itself; a helper that Main calls has a callee.
void record_sums(Recording& r) {
  r.name(1, "Main").name(2, "Work").name(3, "(wrapper alloc) W").name(4, "Inner");
  r.add(9, 1, sum(1, 1000, 1000, 1000)).add(9, 2, sum(100, 600, 2, 30));
  r.add(9, 2, sum(10, 100, 1, 20)).add(9, 2, event::SummaryEnd{}).add(9, 2, event::SummaryEnd{});
  r.add(9, 3, sum(5, 80, 10, 20)).add(9, 4, sum(5, 50, 10, 10)).add(9, 4, event::SummaryEnd{});
  r.add(9, 3, event::SummaryEnd{}).add(9, 1, event::SummaryEnd{}).finish();
}

TEST(calls, sums_that_the_recorder_made_count_as_the_calls_they_stand_for) {
  for (const bool with_tree : {false, true}) {
    const auto tree = std::make_shared<CallTree>(Selection{});
    Calls alone{Selection{}};
    Recording r(with_tree ? static_cast<Analysis&>(*tree) : alone);
    record_sums(r);
    Calls taken(Selection{}, tree);
    if (with_tree) taken.finish(r.names());
    const Calls& calls = with_tree ? taken : alone;
    EXPECT_EQ(figure(calls, r, "Main", "calls"), Cell{U{1}});
    EXPECT_EQ(figure(calls, r, "Main", "self"), Cell{U{350}}) << "with the helper's 30";
    EXPECT_EQ(figure(calls, r, "Work", "calls"), Cell{U{110}});
    EXPECT_EQ(figure(calls, r, "Work", "total"), Cell{U{700}});
    EXPECT_EQ(figure(calls, r, "Work", "elapsed"), Cell{U{600}});
    EXPECT_EQ(figure(calls, r, "Work", "self"), Cell{U{600}});
    EXPECT_EQ(figure(calls, r, "Work", "least"), Cell{U{1}});
    EXPECT_EQ(figure(calls, r, "Work", "most"), Cell{U{30}});
    EXPECT_EQ(figure(calls, r, "Work", "p50"), Cell{}) << "not told";
    EXPECT_EQ(figure(calls, r, "Inner", "calls"), Cell{U{5}});
    EXPECT_EQ(repair_notes(calls.repairs()), std::vector<std::string>{});
  }
}

TEST(calls, sums_without_their_ends_count_all_the_same) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.name(1, "Main").name(2, "Work");
  r.add(9, 1, sum(1, 1000, 1000, 1000)).add(9, 2, sum(7, 70, 10, 10)).leave(10, 2).cut();
  r.add(11, 5, event::SummaryEnd{}).finish();
  EXPECT_EQ(figure(calls, r, "Work", "calls"), Cell{U{7}});
  EXPECT_EQ(figure(calls, r, "Main", "calls"), Cell{U{1}});
  EXPECT_EQ(figure(calls, r, "Main", "self"), Cell{U{930}});
}

// Below A, B is called in the selected time, and C before it: A is no caller of C there.
TEST(calls, rows_by_name_are_of_calls_in_the_selected_time) {
  for (const char* name : {"B", "C"}) {
    Selection selection{.from = 20, .to = 40};
    selection.name = event::NameChoice(name);
    CallTree tree(selection);
    Recording r(tree);
    r.name(1, "A").name(2, "B").name(3, "C");
    r.enter(0, 1).enter(5, 3).leave(9, 3).enter(25, 2).leave(30, 2).leave(50, 1).finish();
    const Table shown = tree.tables(r.names(), {})[1];
    EXPECT_EQ(shown.key, "call_tree");
    EXPECT_EQ(shown.rows.size(), name == std::string("B") ? 2U : 0U) << name;
  }
}

TEST(calls, a_leave_further_down_ends_the_calls_above_it) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.name(1, "A").name(2, "B").name(3, "C");
  r.enter(0, 1).enter(10, 2).enter(20, 3).unwind(50, 1).finish();
  EXPECT_EQ(figure(calls, r, "A", "total"), Cell{U{50}});
  EXPECT_EQ(figure(calls, r, "B", "total"), Cell{U{40}});
  EXPECT_EQ(figure(calls, r, "C", "total"), Cell{U{30}});
  EXPECT_EQ(calls.repairs().cut, 2U);
}

TEST(calls, a_leave_of_what_is_not_open_is_ignored) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.name(1, "A").leave(5, 9).enter(10, 1).unwind(15, 9).leave(20, 1).leave(25, 1).finish();
  EXPECT_EQ(figure(calls, r, "A", "total"), Cell{U{10}});
  EXPECT_EQ(calls.repairs().ignored, 3U);
  EXPECT_EQ(methods(calls, r).notes.size(), 1U);
}

TEST(calls, what_stays_open_ends_with_its_thread) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.name(1, "A").name(2, "B");
  r.thread(7).enter(0, 1).enter(10, 2).thread(8).enter(500, 9).leave(900, 9);
  r.thread(7).leave(70, 77).finish();
  EXPECT_EQ(figure(calls, r, "A", "total"), Cell{U{70}});
  EXPECT_EQ(figure(calls, r, "B", "total"), Cell{U{60}});
  EXPECT_EQ(calls.repairs().unended, 2U);
}

TEST(calls, threads_have_stacks_of_their_own) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.name(1, "A");
  r.thread(7).enter(0, 1).thread(8).enter(5, 1).thread(7).leave(10, 1).cut();
  r.thread(8).enter(20, 1).leave(25, 1).leave(30, 1).finish();
  EXPECT_EQ(figure(calls, r, "A", "calls"), Cell{U{3}});
  EXPECT_EQ(figure(calls, r, "A", "total"), Cell{U{10 + 5 + 25}});
  EXPECT_EQ(figure(calls, r, "A", "elapsed"), Cell{U{10 + 25}});
  EXPECT_EQ(calls.repairs().ignored, 0U);
}

TEST(calls, a_reused_thread_id_does_not_inherit_open_calls) {
  Calls calls{Selection{}};
  Recording r(calls);
  event::Thread end;
  end.life = event::Life::end;
  r.name(1, "A").thread(7).enter(0, 1).add(10, 7, end).leave(20, 1).finish();
  EXPECT_EQ(figure(calls, r, "A", "total"), Cell{U{10}});
  EXPECT_EQ(calls.repairs().ignored, 1U);
  EXPECT_EQ(calls.repairs().unended, 1U);
}

TEST(calls, time_that_runs_backwards_is_nothing) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.name(1, "A").enter(100, 1).leave(40, 1);
  r.enter(INT64_MAX, 1).leave(INT64_MIN + 1, 1).finish();
  EXPECT_EQ(figure(calls, r, "A", "calls"), Cell{U{2}});
  EXPECT_EQ(figure(calls, r, "A", "least"), Cell{U{0}});
}

// The thread's order wins over its clock: C begins when B was entered.
TEST(calls, times_that_step_back_count_as_the_one_before) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.name(1, "A").name(2, "B").name(3, "C").enter(0, 1);
  r.enter(500, 2).leave(300, 2).enter(400, 3).leave(900, 3).leave(1000, 1).finish();
  EXPECT_EQ(figure(calls, r, "A", "total"), Cell{U{1000}});
  EXPECT_EQ(figure(calls, r, "A", "self"), Cell{U{600}});
  EXPECT_EQ(figure(calls, r, "B", "total"), Cell{U{0}});
  EXPECT_EQ(figure(calls, r, "C", "total"), Cell{U{400}});
  EXPECT_EQ(calls.repairs().backwards, 2U);
}

TEST(calls, only_the_part_inside_the_window_counts) {
  Selection window;
  window.from = 20;
  window.to = 60;
  Calls calls{window};
  Recording r(calls);
  r.name(1, "A").name(2, "B");
  r.enter(0, 1).enter(5, 2).leave(10, 2).enter(15, 2).leave(30, 2).enter(60, 2).leave(70, 2);
  r.leave(100, 1).finish();
  EXPECT_EQ(figure(calls, r, "A", "total"), Cell{U{40}});
  EXPECT_EQ(figure(calls, r, "A", "self"), Cell{U{30}});
  EXPECT_EQ(figure(calls, r, "B", "calls"), Cell{U{1}});
  EXPECT_EQ(figure(calls, r, "B", "total"), Cell{U{10}});
}

TEST(calls, only_the_selected_thread_counts) {
  Selection one;
  one.threads = event::ThreadChoice({8});
  Calls calls{one};
  Recording r(calls);
  r.name(1, "A").thread(7).enter(0, 1).leave(10, 1).thread(8).enter(0, 1).leave(3, 1).finish();
  EXPECT_EQ(figure(calls, r, "A", "total"), Cell{U{3}});
}

TEST(calls, helpers_that_are_hidden_count_for_their_callers) {
  for (const bool show : {false, true}) {
    Selection selection;
    selection.show_helpers = show;
    Calls calls{selection};
    Recording r(calls);
    r.name(1, "(wrapper alloc) x").name(2, "A");
    r.enter(0, 2).enter(1, 1).leave(4, 1).leave(10, 2).finish();
    EXPECT_EQ(methods(calls, r).rows.size(), show ? 2U : 1U);
    EXPECT_EQ(methods(calls, r).notes.size(), show ? 0U : 1U);
    EXPECT_EQ(figure(calls, r, "A", "self"), Cell{show ? U{7} : U{10}});
    EXPECT_EQ(figure(calls, r, "A", "self_share"), Cell{show ? 70.0 : 100.0});
  }
}

// A leave that is not open must not search a deep stack again and again: this is 200,000 of them
// on 200,000 frames, and would not end in time otherwise.
TEST(calls, a_hostile_stack_stays_cheap) {
  Calls calls{Selection{}};
  Recording r(calls);
  r.thread(1).enter(0, 500);
  r.thread(2);
  for (base::Id i = 0; i < 200'000; ++i) r.enter(static_cast<base::Time>(i), i % 97);
  for (base::Id i = 0; i < 200'000; ++i) r.leave(300'000, 500);
  r.finish();
  EXPECT_EQ(calls.repairs().ignored, 200'000U);
  EXPECT_EQ(calls.repairs().unended, 200'001U);
}

TEST(calls, more_open_calls_than_allowed_are_dropped_and_said) {
  Calls calls{Selection{}};
  Recording r(calls);
  constexpr U kMore = 1'200'000;
  for (U i = 0; i < kMore; ++i) r.enter(1, 5);
  r.cut();
  for (U i = 0; i < kMore; ++i) r.leave(2, 5);
  r.finish();
  const U counted = std::get<U>(figure(calls, r, "unknown method 0x5", "calls"));
  EXPECT_EQ(counted + calls.repairs().dropped, kMore);
  EXPECT_GT(calls.repairs().dropped, 0U);
  EXPECT_EQ(calls.repairs().unended, 0U);
}

struct Trees {
  std::shared_ptr<CallTree> tree = std::make_shared<CallTree>(Selection{});
  Recording r{*tree};
};

TEST(call_tree, shows_paths_depth_first_heaviest_first) {
  Trees t;
  t.r.name(1, "Main").name(2, "Light").name(3, "Heavy");
  t.r.enter(0, 1).enter(10, 2).leave(15, 2).enter(20, 3).enter(30, 2).leave(50, 2).leave(70, 3);
  t.r.leave(100, 1).finish();
  const Table table = t.tree->tables(t.r.names(), {})[1];
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(table.depth_column, 0);
  using Row = std::vector<Cell>;
  EXPECT_EQ(table.rows[0], (Row{U{0}, U{100}, 100.0, {}, {}, U{45}, U{1}, std::string("Main")}));
  EXPECT_EQ(table.rows[1], (Row{U{1}, U{50}, 50.0, {}, {}, U{30}, U{1}, std::string("Heavy")}));
  EXPECT_EQ(table.rows[2], (Row{U{2}, U{20}, 20.0, {}, {}, U{20}, U{1}, std::string("Light")}));
  EXPECT_EQ(table.rows[3], (Row{U{1}, U{5}, 5.0, {}, {}, U{5}, U{1}, std::string("Light")}));
  const Table path = t.tree->tables(t.r.names(), {})[0];
  ASSERT_EQ(path.rows.size(), 3U);
  EXPECT_EQ(path.rows[2].back(), Cell{std::string("Light")});
}

TEST(call_tree, leaves_out_the_lightest_and_says_so) {
  Trees t;
  for (base::Id i = 1; i <= 30; ++i) {
    const auto start = static_cast<base::Time>(i * 1000);
    t.r.enter(start, i).leave(start + static_cast<base::Time>(i), i);
  }
  t.r.finish();
  TableOptions options;
  options.limit = 4;
  const Table table = t.tree->tables(t.r.names(), options)[1];
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(table.rows[0].back(), Cell{std::string("unknown method 0x1e")});
  EXPECT_EQ(table.rows[3].back(), Cell{std::string("unknown method 0x1b")});
  EXPECT_EQ(table.rows_left_out, 26U);
  EXPECT_EQ(table.notes.at(0),
            "The heaviest paths are shown; none left out takes more than 5.6 % of the time.");
}

TEST(call_tree, what_a_helper_calls_stands_below_its_caller) {
  Trees t;
  t.r.name(1, "Main").name(2, "(wrapper remoting) y").name(3, "Work");
  t.r.enter(0, 1).enter(10, 2).enter(20, 3).leave(30, 3).leave(40, 2).leave(50, 1).finish();
  const Table table = t.tree->tables(t.r.names(), {})[1];
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[1][0], Cell{U{1}});
  EXPECT_EQ(table.rows[1].back(), Cell{std::string("Work")});
  EXPECT_EQ(table.notes.size(), 1U);
}

TEST(call_tree, a_renamed_method_gets_its_own_node) {
  Trees t;
  t.r.name(1, "Old").enter(0, 1).leave(5, 1).name(1, "New").enter(10, 1).leave(12, 1).finish();
  const Table table = t.tree->tables(t.r.names(), {})[1];
  EXPECT_EQ(cell(table, "Old", "total"), Cell{U{5}});
  EXPECT_EQ(cell(table, "New", "total"), Cell{U{2}});
}

TEST(call_tree, a_path_hundreds_of_thousands_of_calls_deep_is_no_problem) {
  Trees t;
  for (base::Time i = 0; i < 300'000; ++i) t.r.enter(i, 1);
  t.r.finish();
  EXPECT_EQ(t.tree->nodes().size(), CallTree::kFirst + 300'000U);
  EXPECT_EQ(t.tree->tables(t.r.names(), {})[1].rows.size(), 20U);
  EXPECT_EQ(t.tree->totals()[0].elapsed, 299'999U);
}

TEST(callers, are_counted_by_method_over_all_paths) {
  Trees t;
  const auto callers = make_callers({.tree = t.tree});
  t.r.name(1, "A").name(2, "B").name(3, "(wrapper z)").name(4, "Used");
  t.r.enter(0, 1).enter(1, 4).leave(3, 4).enter(10, 3).enter(11, 4).leave(14, 4).leave(20, 3);
  t.r.leave(30, 1).enter(40, 2).enter(41, 4).leave(51, 4).leave(60, 2).enter(70, 4).leave(71, 4);
  t.r.finish();
  const Table table = callers->tables(t.r.names(), {})[0];
  std::vector<std::vector<Cell>> used;
  for (const auto& row : table.rows)
    if (row[0] == Cell{std::string("Used")}) used.push_back(row);
  ASSERT_EQ(used.size(), 3U);
  using Row = std::vector<Cell>;
  EXPECT_EQ(used[0], (Row{std::string("Used"), std::string("B"), U{1}, 25.0, U{10}}));
  EXPECT_EQ(used[1], (Row{std::string("Used"), std::string("A"), U{2}, 50.0, U{5}}));
  EXPECT_EQ(used[2], (Row{std::string("Used"), std::string("(outermost)"), U{1}, 25.0, U{1}}));
}

// The tree and the lean walk must agree on every figure, whatever is missing.
TEST(calls, the_tree_gives_the_same_figures) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Selection selection;
    if (seed % 2 == 1) selection.from = 300, selection.to = 900;
    Calls flat{selection};
    const auto tree = std::make_shared<CallTree>(selection);
    Calls derived(selection, tree);
    Recording a(flat);
    Recording b(*tree);
    for (Recording* r : {&a, &b}) r->name(4, "(wrapper x)").name(5, "(wrapper y)");
    std::mt19937 random(seed);
    for (base::Time time = 0; time < 1500; ++time) {
      const base::Id thread = random() % 3;
      const base::Id method = random() % 6;
      const bool enter = random() % 2 == 0;
      for (Recording* r : {&a, &b}) {
        r->thread(thread);
        if (enter) r->enter(time, method);
        else r->leave(time, method);
        if (time % 400 == 0) r->cut();
      }
    }
    a.finish();
    b.finish();
    derived.finish(b.names());
    TableOptions all;
    all.limit = 0;
    const Table one = flat.tables(a.names(), all)[0];
    const Table other = derived.tables(b.names(), all)[0];
    ASSERT_EQ(one.rows, other.rows) << "seed " << seed;
    ASSERT_EQ(one.notes, other.notes) << "seed " << seed;
    ASSERT_EQ(one.rows.size(), 4U);
    ASSERT_EQ(flat.headlines(a.names()), derived.headlines(b.names())) << "seed " << seed;
  }
}

}  // namespace
}  // namespace polytrace::analysis
