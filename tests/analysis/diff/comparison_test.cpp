// SPDX-License-Identifier: Apache-2.0
// Two traces whose figures are known, compared.
#include "analysis/diff/comparison.hpp"

#include "analysis/asked.hpp"
#include "analysis/diff/topics.hpp"
#include "analysis/dumped.hpp"

namespace polytrace::test {
namespace {

using analysis::Difference;
using analysis::DiffOptions;
using analysis::DiffRun;
using analysis::DiffSide;
using analysis::DiffTopic;
using analysis::kDiffTopics;
using analysis::Unit;

constexpr base::Id kCode = 1, kGoods = 0x100, kGuard = 0x200, kOops = 0x300;

DiffSide side(const event::Batch& trace) {
  DiffSide runs;
  runs.push_back(std::make_unique<DiffRun>(analysis::Selection{}, nullptr));
  EXPECT_TRUE(runs.back()->consume(trace));
  runs.back()->finish();
  return runs;
}

Difference compared(const event::Batch& before, const event::Batch& after,
                    bool exact_names = false) {
  DiffOptions options;
  options.exact_names = exact_names;
  options.threshold = 0;
  options.table = {"", 0};
  return analysis::compare(side(before), side(after), options);
}

Table table_of(const Difference& difference, std::string_view key) {
  const auto found = std::ranges::find(difference.tables, key, &Table::key);
  if (found != difference.tables.end()) return *found;
  ADD_FAILURE() << "no table " << key;
  return {};
}

Unit unit_of_column(const Table& table, std::string_view key) {
  return std::ranges::find(table.columns, key, &analysis::ColumnInfo::key)->unit;
}

void snapshot(Stream& main, base::Time time, base::Id type, std::uint64_t size,
              std::uint64_t objects) {
  main.add(time, 0, event::Dump{event::DumpStage::start, {}});
  for (std::uint64_t i = 0; i < objects; ++i)
    main.add(time + 1, 0x9000 + 64 * i, object(type, size));
  main.add(time + 2, 0, event::Dump{event::DumpStage::end, {}});
}

void wait(Stream& main, base::Time time, base::Time length) {
  event::Monitor details;
  details.class_id = kGuard;
  details.stage = event::MonitorStage::contended;
  main.add(time, 0x8000, details);
  details.stage = event::MonitorStage::acquired;
  main.add(time + length, 0x8000, details);
}

void collection(Stream& main, base::Time time, base::Time length) {
  event::Gc details;
  details.generation = 1;
  details.phase = event::GcPhase::start;
  main.add(time, 0, details);
  details.phase = event::GcPhase::end;
  main.add(time + length, 0, details);
}

void call(event::Batch& batch, base::Id method, base::Time time, base::Time length) {
  const auto slot = batch.thread_slot(kMain);
  batch.add_plain(time, slot, method, event::Kind::Enter);
  batch.add_plain(time + length, slot, method, event::Kind::Leave);
}

// Of every topic one thing, `times` times.
event::Batch trace(std::uint64_t times) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.method(kCode, "Shop:Work").type(kGoods, "Goods").type(kGuard, "Guard").type(kOops, "Oops");
  for (std::uint64_t i = 0; i < times; ++i) {
    const base::Time time = 1000 * (i + 1);
    event::Alloc alloc;
    alloc.object = 0x5000 + 64 * i;
    alloc.size = 16;
    event::Throw thrown;
    thrown.class_id = kOops;
    main.add(time, kGoods, alloc);
    collection(main, time + 10, 60);
    wait(main, time + 100, 30);
    main.add(time + 200, 0x7000 + i, thrown);
    call(batch, kCode, time + 300, 100);
  }
  snapshot(main, 100'000, kOops, 40, 9);  // no longer, in the last one
  snapshot(main, 200'000, kGoods, 24, times);
  return batch;
}

struct Expected {
  std::string_view topic;
  std::string_view name;
  std::uint64_t figure;  // of one time
  Unit unit;
};

TEST(comparison, tells_of_every_topic_what_each_trace_has) {
  constexpr std::uint64_t kBefore = 2, kAfter = 5;
  const Difference difference = compared(trace(kBefore), trace(kAfter));
  const Table totals = table_of(difference, "diff_totals");
  const std::vector<Expected> all = {{"methods", "Shop:Work", 100, Unit::nanoseconds},
                                     {"calls", "Shop:Work", 1, Unit::count},
                                     {"allocations", "Goods", 16, Unit::bytes},
                                     {"collections", "generation 1", 60, Unit::nanoseconds},
                                     {"locks", "Guard", 30, Unit::nanoseconds},
                                     {"exceptions", "Oops", 1, Unit::count},
                                     {"heap", "Goods", 24, Unit::bytes}};
  ASSERT_EQ(all.size(), kDiffTopics.size() - 1);
  for (const DiffTopic& topic : kDiffTopics) {
    SCOPED_TRACE(topic.word);
    const Table table = table_of(difference, topic.key);
    if (topic.is_waiting) {  // which nobody knows here
      EXPECT_TRUE(table.rows.empty());
      EXPECT_EQ(cell(totals, 2, topic.word), analysis::Cell{});
      continue;
    }
    const auto expected = std::ranges::find(all, topic.word, &Expected::topic);
    ASSERT_NE(expected, all.end());
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(text(table, 0, "name"), expected->name);
    EXPECT_EQ(number(table, 0, "before"), kBefore * expected->figure);
    EXPECT_EQ(number(table, 0, "after"), kAfter * expected->figure);
    EXPECT_EQ(number(table, 0, "change"), (kAfter - kBefore) * expected->figure);
    EXPECT_EQ(std::get<double>(cell(table, 0, "change_share")), 150);
    EXPECT_EQ(unit_of_column(table, "change"), expected->unit);
    if (expected->unit != Unit::count) {
      EXPECT_EQ(number(table, 0, "count_before"), kBefore);
      EXPECT_EQ(number(table, 0, "count_after"), kAfter);
    }
    EXPECT_EQ(number(totals, 2, topic.word), (kAfter - kBefore) * expected->figure);
    EXPECT_EQ(unit_of_column(totals, topic.word), expected->unit);
  }
}

TEST(comparison, of_nothing_has_no_rows_and_no_units) {
  const Difference difference = compared({}, {});
  for (const DiffTopic& topic : kDiffTopics) {
    const Table table = table_of(difference, topic.key);
    EXPECT_TRUE(table.rows.empty()) << topic.word;
    EXPECT_EQ(unit_of_column(table, "before"), Unit::none) << topic.word;
  }
}

TEST(comparison, several_spellings_are_one_named_as_the_largest_is) {
  event::Batch before, after;
  Stream(before, kMain).method(1, "Shop:Work").method(2, "shop.Work ()").method(3, "shop/work");
  for (base::Time i = 0; i < 3; ++i) call(before, 1, 100 * i, 10);
  call(before, 2, 400, 70);
  call(before, 3, 500, 50);
  const Table one = table_of(compared(before, after), "diff_calls");
  ASSERT_EQ(one.rows.size(), 1U);
  EXPECT_EQ(text(one, 0, "name"), "shop.Work ()");  // by time, also of calls
  EXPECT_EQ(number(one, 0, "before"), 5U);
  EXPECT_EQ(text(one, 0, "verdict"), "gone");
  const Table exact = table_of(compared(before, after, true), "diff_calls");
  ASSERT_EQ(exact.rows.size(), 3U);
  EXPECT_EQ(text(exact, 0, "name"), "Shop:Work");
  EXPECT_EQ(number(exact, 0, "before"), 3U);
}

TEST(comparison, an_empty_snapshot_hides_none_that_has_objects) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.type(kGoods, "Goods");
  snapshot(main, 10, kGoods, 24, 2);
  snapshot(main, 20, kGoods, 24, 3);
  snapshot(main, 30, kGoods, 24, 0);
  const Table heap = table_of(compared({}, batch), "diff_heap");
  ASSERT_EQ(heap.rows.size(), 1U);
  EXPECT_EQ(number(heap, 0, "after"), 72U);
  EXPECT_EQ(number(heap, 0, "count_after"), 3U);
}

TEST(comparison, suspects_are_new_gone_or_in_both) {
  event::Batch storm;
  Stream main(storm, kMain);
  main.type(kOops, "Oops");
  event::Throw thrown;
  thrown.class_id = kOops;
  for (base::Time i = 0; i < 150; ++i) main.add(1'000'000 * i, 0x7000 + i, thrown);
  const auto verdict = [](const event::Batch& before, const event::Batch& after) {
    const Table table = table_of(compared(before, after), "diff_suspects");
    EXPECT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(text(table, 0, "fault"), "exception storm");
    EXPECT_EQ(text(table, 0, "what"), "Oops");
    return text(table, 0, "verdict");
  };
  EXPECT_EQ(verdict({}, storm), "new");
  EXPECT_EQ(verdict(storm, {}), "gone");
  EXPECT_EQ(verdict(storm, storm), "in both");
}

constexpr base::Time ms = 1'000'000;

// A call that waits, and one that uses so much of a processor, in 100 ms each.
event::Batch timed(base::Time used) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.method(1, "Shop:Wait").method(2, "Shop:Work");
  const auto cpu = [&](base::Time time, base::Time nanoseconds) {
    event::Cpu cpu;
    cpu.scope = event::CpuScope::thread;
    cpu.span = 100 * ms;
    cpu.used = nanoseconds;
    main.add(time, base::kNoId, cpu);
  };
  call(batch, 1, 0, 100 * ms);
  call(batch, 2, 100 * ms, 100 * ms);
  cpu(100 * ms, 0);
  cpu(200 * ms, used);
  return batch;
}

DiffSide runs_of(const event::Batch& trace, std::size_t count) {
  DiffSide runs;
  for (std::size_t i = 0; i < count; ++i) runs.push_back(std::move(side(trace).front()));
  return runs;
}

TEST(comparison, of_methods_is_by_cpu_time_where_all_runs_tell_it) {
  const Difference difference =
      analysis::compare(runs_of(timed(20 * ms), 3), runs_of(timed(60 * ms), 3), {});
  const Table methods = table_of(difference, "diff_methods");
  EXPECT_EQ(methods.title, "Methods: CPU time");
  ASSERT_EQ(methods.rows.size(), 1U);
  EXPECT_EQ(text(methods, 0, "name"), "Shop:Work");
  EXPECT_EQ(text(methods, 0, "verdict"), "more");
  const Table waiting = table_of(difference, "diff_waiting");
  ASSERT_EQ(waiting.rows.size(), 1U);  // what only waits is the same in both
  EXPECT_EQ(number(waiting, 0, "before"), std::uint64_t{80 * ms});
  EXPECT_EQ(number(waiting, 0, "after"), std::uint64_t{40 * ms});
  EXPECT_EQ(number(table_of(difference, "diff_totals"), 0, "waiting"), std::uint64_t{180 * ms});
  EXPECT_EQ(table_of(difference, "diff_tree").title, "Call tree: CPU time");
  ASSERT_EQ(difference.changes.size(), 2U);
  EXPECT_EQ(difference.changes[0].text, "Shop:Work: 20.0 ms of CPU time, now 60.0 ms: 3 times");
  EXPECT_EQ(difference.changes[0].share, 2);
  EXPECT_EQ(difference.changes[1].text, "Shop:Work: 80.0 ms of waiting, now 40.0 ms: -50.0 %");
  // A trace that does not tell it has wall time alone.
  event::Batch wall;
  Stream(wall, kMain).method(1, "Shop:Wait").method(2, "Shop:Work");
  call(wall, 2, 0, 40 * ms);
  const Difference mixed = compared(timed(20 * ms), wall);
  EXPECT_EQ(table_of(mixed, "diff_methods").title, "Methods: time of their own");
  EXPECT_EQ(number(table_of(mixed, "diff_totals"), 0, "methods"), std::uint64_t{200 * ms});
  EXPECT_EQ(table_of(mixed, "diff_tree").title, "Call tree: Time");
}

TEST(comparison, times_of_single_runs_are_not_judged) {
  const Difference difference = compared(timed(20 * ms), timed(60 * ms));
  EXPECT_FALSE(difference.times_are_judged);
  EXPECT_TRUE(difference.changes.empty());
  const Table methods = table_of(difference, "diff_methods");
  EXPECT_EQ(text(methods, 0, "verdict"), "not judged");
  EXPECT_EQ(cell(methods, 0, "noise"), analysis::Cell{});
}

TEST(comparison, a_known_wait_is_no_time_of_a_method) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.method(kCode, "Shop:Work").type(kGuard, "Guard");
  const auto slot = batch.thread_slot(kMain);
  batch.add_plain(0, slot, kCode, event::Kind::Enter);
  wait(main, 100, 900);
  batch.add_plain(1500, slot, kCode, event::Kind::Leave);
  EXPECT_EQ(number(table_of(compared({}, batch), "diff_methods"), 0, "after"), 600U);
}

TEST(comparison, a_change_says_what_was_and_what_is) {
  const Difference difference = compared(trace(2), trace(24));
  std::vector<std::string> all;
  for (const analysis::Change& change : difference.changes) all.push_back(change.text);
  EXPECT_EQ(all, (std::vector<std::string>{"Shop:Work: 2 calls, now 24: 12 times",
                                           "Goods: 32 B allocated, now 384 B: 12 times",
                                           "Oops: 2 thrown, now 24: 12 times",
                                           "Goods: 48 B in the heap, now 576 B: 12 times"}));
  EXPECT_EQ(compared(trace(3), trace(40)).changes[0].text,
            "Shop:Work: 3 calls, now 40: 13.3 times");
  EXPECT_EQ(compared(trace(3), trace(8)).changes[0].text, "Shop:Work: 3 calls, now 8: 2.67 times");
  EXPECT_EQ(compared({}, trace(1)).changes[0].text, "Shop:Work: 0 calls, now 1: new");
  EXPECT_EQ(compared(trace(1), {}).changes[0].text, "Shop:Work: 1 call, now 0: none");
  EXPECT_EQ(compared(trace(4), trace(5)).changes[0].text, "Shop:Work: 4 calls, now 5: +25.0 %");
}

TEST(comparison, of_samples_says_where_they_were_not_taken_alike) {
  const auto sampled = [](std::string_view options, base::Time count) {
    event::Batch batch;
    Stream main(batch, kMain);
    main.method(1, "Shop:Work");
    event::Process process;
    process.options = options;
    main.add(0, base::kNoId, process);
    for (base::Time i = 0; i < count; ++i) {
      event::Sample sample;
      sample.stack = main.stack({1});
      main.add(i, kMain, sample);
    }
    return batch;
  };
  const auto notes = [&](std::string_view before, std::string_view after) {
    return table_of(compared(sampled(before, 100), sampled(after, 10)), "diff_tree").notes;
  };
  const auto unlike = notes("samples=1ms,limit=4g", "events=samples=10ms");
  ASSERT_EQ(unlike.size(), 1U);
  EXPECT_TRUE(unlike[0].starts_with(
      R"(Samples were not taken alike ("samples=1ms", then "samples=10ms"))"));
  EXPECT_TRUE(notes("samples=1ms", "samples=1ms").empty());
  EXPECT_TRUE(notes("events=calls+samples=1ms", "events=samples=1ms+calls,limit=4g").empty());
}

}  // namespace
}  // namespace polytrace::test
