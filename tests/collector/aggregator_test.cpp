// SPDX-License-Identifier: Apache-2.0
#include "collector/aggregate/aggregator.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analysis/asked.hpp"
#include "analysis/calls/calltree.hpp"
#include "service/input/pass.hpp"

namespace polytrace::collector {
namespace {

using event::Batch;
using test::Stream;
using U = std::uint64_t;

constexpr base::Id kMainThread = 1;
// The clock of these traces: 0 is 2026-11-26T00:00:00Z.
constexpr Time kWall = 1'795'651'200 * kSecond;
constexpr std::uint32_t kT = 1'795'651'200;

struct Made {
  Rows rows;
  std::size_t sent = 0;
  Aggregator aggregator;

  explicit Made(AggregatorOptions options = {})
      : aggregator(std::move(options), [this](Rows&& more) {
          rows.append(std::move(more));
          ++sent;
        }) {}
  Made& feed(const Batch& batch) {
    EXPECT_TRUE(aggregator.consume(batch));
    return *this;
  }
  Made& finish() {
    aggregator.finish();
    return *this;
  }
  std::string name(U frame) const {
    for (const auto& row : rows.of<warehouse::Frame>())
      if (row.id == frame) return row.name;
    return frame == 0 ? "" : "unknown frame";
  }
  // "Main > Work"
  std::string stack(const warehouse::Id128& id) const {
    for (const auto& row : rows.of<warehouse::Stack>()) {
      if (row.id != id) continue;
      std::string text;
      for (const U frame : row.frames) text = name(frame) + (text.empty() ? "" : " > ") + text;
      return text;
    }
    return "unknown stack";
  }
  // Of a carrier: count and weight by window (seconds from kT), stack and subject.
  std::map<std::tuple<int, std::string, std::string>, std::pair<U, U>> profile(
      Carrier carrier) const {
    std::map<std::tuple<int, std::string, std::string>, std::pair<U, U>> all;
    for (const auto& row : rows.of<warehouse::Profile10s>()) {
      if (row.carrier != static_cast<int>(carrier)) continue;
      auto& sum = all[{static_cast<int>(row.t - kT), stack(row.stack), name(row.subject)}];
      sum.first += row.count;
      sum.second += row.weight;
    }
    return all;
  }
};

Batch clocked() {
  Batch batch;
  event::Clock clock;
  clock.wall = kWall;
  Stream(batch, kMainThread).add(0, base::kNoId, clock).method(1, "Main").method(2, "Work");
  return batch;
}

TEST(aggregator, splits_own_time_at_borders_and_counts_a_call_where_it_ends) {
  Batch batch = clocked();
  Stream(batch, kMainThread)
      .add(8 * kSecond, 1, event::Enter{})
      .add(9 * kSecond, 2, event::Enter{})
      .add(23 * kSecond, 2, event::Leave{})
      .add(24 * kSecond, 1, event::Leave{});
  Made made;
  made.feed(batch).finish();
  const auto calls = made.profile(Carrier::calls);
  const decltype(made.profile(Carrier::calls)) expected{
      {{0, "Main", ""}, {0, kSecond}},
      {{0, "Main > Work", ""}, {0, kSecond}},
      {{10, "Main > Work", ""}, {0, 10 * kSecond}},
      {{20, "Main", ""}, {1, kSecond}},
      {{20, "Main > Work", ""}, {1, 3 * kSecond}}};
  EXPECT_EQ(calls, expected);
  U events = 0;
  for (const auto& row : made.rows.of<warehouse::Health10s>()) events += row.events;
  EXPECT_EQ(events, 4U);
  ASSERT_EQ(made.rows.of<warehouse::Methods1m>().size(), 2U);
  const auto& work = made.rows.of<warehouse::Methods1m>()[0];
  EXPECT_EQ(made.name(work.method), "Work");
  EXPECT_EQ(std::tuple(work.calls, work.self_ns, work.total_ns, work.max_ns),
            std::tuple(1U, 14U * kSecond, 14U * kSecond, 14U * kSecond));
  EXPECT_EQ(work.tally, std::vector<std::uint32_t>{1});
}

TEST(aggregator, windows_close_by_events_and_late_ones_make_further_rows) {
  AggregatorOptions options;
  options.lag = 2 * kSecond;
  Made made(std::move(options));
  Batch first = clocked();
  Stream(first, kMainThread)
      .add(1 * kSecond, 1, event::Enter{})
      .add(2 * kSecond, 1, event::Leave{});
  Stream(first, 7).add(13 * kSecond, 1, event::Enter{}).add(13 * kSecond, 1, event::Leave{});
  made.feed(first);
  ASSERT_EQ(made.rows.of<warehouse::Health10s>().size(), 1U);
  Batch late;
  Stream(late, 8).add(3 * kSecond, 2, event::Enter{}).add(5 * kSecond, 2, event::Leave{});
  made.feed(late).finish();
  ASSERT_EQ(made.rows.of<warehouse::Health10s>().size(), 3U);
  EXPECT_EQ(made.rows.of<warehouse::Health10s>()[1].gen, 1);
  EXPECT_EQ(made.aggregator.late(), 1U);
  EXPECT_EQ((made.profile(Carrier::calls)[{0, "Work", ""}]), (std::pair<U, U>{1, 2 * kSecond}));
}

TEST(aggregator, live_calls_are_told_as_far_as_windows_are_closed) {
  AggregatorOptions options;
  options.lag = 2 * kSecond;
  options.live = true;
  Made made(std::move(options));
  Batch batch = clocked();
  Stream(batch, kMainThread).add(4 * kSecond, 1, event::Enter{});
  Stream(batch, 7).add(13 * kSecond, 2, event::Enter{}).add(14 * kSecond, 2, event::Leave{});
  made.feed(batch);
  EXPECT_EQ((made.profile(Carrier::calls)[{0, "Main", ""}]), (std::pair<U, U>{0, 6 * kSecond}));
  Batch rest;
  Stream(rest, kMainThread).add(15 * kSecond, 1, event::Leave{});
  made.feed(rest).finish();
  EXPECT_EQ((made.profile(Carrier::calls)[{0, "Main", ""}]), (std::pair<U, U>{0, 6 * kSecond}));
  EXPECT_EQ((made.profile(Carrier::calls)[{10, "Main", ""}]), (std::pair<U, U>{1, 5 * kSecond}));
}

TEST(aggregator, the_lightest_stacks_become_one_row_and_sums_stay) {
  Batch batch = clocked();
  Stream stream(batch, kMainThread);
  Time time = 0;
  for (base::Id method = 100; method < 1000; ++method) {
    stream.method(method, "M" + std::to_string(method));
    stream.add(time, method, event::Enter{})
        .add(time + static_cast<Time>(method), method, event::Leave{});
    time += static_cast<Time>(method);
  }
  Made made;
  made.feed(batch).finish();
  const auto calls = made.profile(Carrier::calls);
  EXPECT_EQ(calls.size(), RowMaker::kMostRows);
  U count = 0, weight = 0;
  for (const auto& [key, sum] : calls) count += sum.first, weight += sum.second;
  EXPECT_EQ(std::pair(count, weight), std::pair(U{900}, static_cast<U>(time)));
  // 399 heaviest stay: 601 to 999.
  EXPECT_EQ((calls.at({0, "(... more)", ""}).first), 900U - 399);
  EXPECT_TRUE(calls.contains({0, "M601", ""}));
  EXPECT_FALSE(calls.contains({0, "M600", ""}));
  EXPECT_EQ(made.rows.of<warehouse::Methods1m>().size(), RowMaker::kMostMethods);
}

TEST(aggregator, subjects_of_allocations_locks_and_exceptions) {
  Batch batch = clocked();
  Stream stream(batch, kMainThread);
  stream.type(50, "Order").type(51, "Lock").type(52, "Fault");
  stream.add(kSecond, 1, event::Enter{});
  event::Alloc alloc;
  alloc.size = 24;
  stream.add(kSecond, 50, alloc).add(kSecond, 50, alloc);
  event::Monitor lock;
  lock.class_id = 51;
  lock.stage = event::MonitorStage::contended;
  stream.add(9 * kSecond, 900, lock);
  lock.stage = event::MonitorStage::acquired;
  stream.add(12 * kSecond, 900, lock);
  event::Throw fault;
  fault.class_id = 52;
  stream.add(12 * kSecond, 901, fault).add(13 * kSecond, 1, event::Leave{});
  Made made;
  made.feed(batch).finish();
  EXPECT_EQ((made.profile(Carrier::allocations)[{0, "Main", "Order"}]), (std::pair<U, U>{2, 48}));
  EXPECT_EQ((made.profile(Carrier::contentions)[{0, "Main", "Lock"}]), (std::pair<U, U>{1, 0}));
  EXPECT_EQ((made.profile(Carrier::contentions)[{10, "Main", "Lock"}]),
            (std::pair<U, U>{0, 3 * kSecond}));
  EXPECT_EQ((made.profile(Carrier::exceptions)[{10, "Main", "Fault"}]), (std::pair<U, U>{1, 1}));
  const auto& health = made.rows.of<warehouse::Health10s>();
  ASSERT_EQ(health.size(), 2U);
  EXPECT_EQ(std::tuple(health[0].alloc_objects, health[0].alloc_bytes, health[0].waits),
            std::tuple(2U, 48U, 1U));
  EXPECT_EQ(std::tuple(health[1].wait_ns, health[1].throws, health[1].calls),
            std::tuple(3U * kSecond, 1U, 1U));
}

TEST(aggregator, times_outside_of_what_is_accepted_are_refused_and_counted) {
  AggregatorOptions options;
  options.accepted = {kWall, kWall + 15 * kSecond};
  Made made(std::move(options));
  Batch batch = clocked();
  Stream(batch, kMainThread)
      .add(-5 * kSecond, 1, event::Enter{})
      .add(3 * kSecond, 1, event::Leave{})
      .add(4 * kSecond, 2, event::Enter{})
      .add(20 * kSecond, 2, event::Leave{});
  made.feed(batch).finish();
  EXPECT_EQ(made.aggregator.refused(), 2U);
  EXPECT_EQ(made.aggregator.refused_time(), 10U * kSecond);
  EXPECT_EQ((made.profile(Carrier::calls)[{0, "Main", ""}]), (std::pair<U, U>{1, 3 * kSecond}));
}

TEST(aggregator, a_trace_without_a_clock_needs_one_that_is_given) {
  Batch batch;
  Stream(batch, kMainThread).add(70, 1, event::Enter{}).add(90, 1, event::Leave{});
  Made without;
  EXPECT_FALSE(without.aggregator.consume(batch));
  AggregatorOptions options;
  options.otherwise = kWall;
  Made made(std::move(options));
  made.feed(batch).finish();
  ASSERT_EQ(made.rows.of<warehouse::Health10s>().size(), 1U);
  EXPECT_EQ(made.rows.of<warehouse::Health10s>()[0].t, kT);
}

// Random calls of several threads against a walk over each nanosecond's owner that knows no more
// than the rule.
TEST(aggregator, is_what_a_naive_walk_counts) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 30; ++round) {
    Batch batch = clocked();
    std::map<std::tuple<int, std::string, std::string>, std::pair<U, U>> expected;
    for (base::Id thread = 10; thread < 13; ++thread) {
      Stream stream(batch, thread);
      std::vector<base::Id> open;
      Time time = 0;
      const auto path = [&] {
        std::string text;
        for (const base::Id id : open)
          text += (text.empty() ? "" : " > ") + std::string(id == 1 ? "Main" : "Work");
        return text;
      };
      const auto pass = [&](Time to) {
        for (; time < to;) {
          const Time part = std::min(to, (time / kWindow + 1) * kWindow);
          if (!open.empty())
            expected[{static_cast<int>(time / kWindow * 10), path(), ""}].second +=
                static_cast<U>(part - time);
          time = part;
        }
      };
      for (int i = 0; i < 60; ++i) {
        pass(time + static_cast<Time>(random() % (5 * kSecond)));
        const base::Id id = 1 + random() % 2;
        if (open.empty() || random() % 2 == 0) {
          stream.add(time, id, event::Enter{});
          open.push_back(id);
        } else {
          stream.add(time, open.back(), event::Leave{});
          ++expected[{static_cast<int>(time / kWindow * 10), path(), ""}].first;
          open.pop_back();
        }
      }
      for (; !open.empty(); open.pop_back())
        ++expected[{static_cast<int>(time / kWindow * 10), path(), ""}].first;
    }
    std::erase_if(expected, [](const auto& one) { return one.second == std::pair<U, U>{}; });
    Made made;
    made.feed(batch).finish();
    EXPECT_EQ(made.profile(Carrier::calls), expected) << round;
  }
}

std::map<std::string, std::pair<U, U>> by_method_of_tree(const std::string& file) {
  std::map<std::string, std::pair<U, U>> all;
  slice::Slicer slicer;
  analysis::CallTree tree{slice::Selection{}};
  auto opened = service::Input({.file = file}).open_trace();
  Batch batch;
  while (opened->reader->next(batch).value_or(false))
    slicer.slice(batch, [&](const slice::Slice& slice) { tree.consume(slice); });
  tree.finish(slicer.names());
  for (std::uint32_t i = 0; i < tree.totals().size(); ++i) {
    const auto& totals = tree.totals()[i];
    if (totals.calls == 0 && totals.self == 0) continue;
    auto& sum = all[slicer.names().method_name(i)];
    sum.first += totals.calls, sum.second += totals.self;
  }
  return all;
}

TEST(aggregator, a_moment_names_the_block_that_told_its_end) {
  AggregatorOptions options;
  options.stream = 9;
  Made made(std::move(options));
  Batch first = clocked();
  Stream(first, kMainThread)
      .type(51, "Lock")
      .add(kSecond, 1, event::Enter{})
      .add(kSecond, 2, event::Enter{})
      .add(kSecond, 9, event::Monitor{.stage = event::MonitorStage::contended, .class_id = 51});
  made.aggregator.begin_block(3);
  made.feed(first);
  Batch second;
  Stream(second, kMainThread)
      .add(2 * kSecond, 9, event::Monitor{.stage = event::MonitorStage::acquired, .class_id = 51})
      .add(3 * kSecond, 2, event::Leave{});
  made.aggregator.begin_block(7);
  made.feed(second);
  Batch third;
  Stream(third, kMainThread).add(4 * kSecond, 1, event::Leave{});
  made.aggregator.begin_block(8);
  made.feed(third);
  made.aggregator.begin_block(90);
  made.finish();
  std::map<std::string, std::tuple<U, U, U, Time, Time>> all;
  for (const auto& row : made.rows.of<warehouse::Moment>())
    all[made.name(row.subject)] = {row.stream, row.block, row.thread, row.at, row.took};
  const decltype(all) expected{{"Main", {9, 8, kMainThread, kWall + kSecond, 3 * kSecond}},
                               {"Work", {9, 7, kMainThread, kWall + kSecond, 2 * kSecond}},
                               {"Lock", {9, 7, kMainThread, kWall + kSecond, kSecond}}};
  EXPECT_EQ(all, expected);
}

TEST(aggregator, rows_add_up_to_what_reports_say) {
  for (const char* name : {"mlpd/calls.mlpd", "mlpd/calls_depth20.mlpd", "mlpd/everything.mlpd.gz",
                           "mlpd/exceptions_calls.mlpd", "tbf/shop_big.trcbin",
                           "trcxml/shop.trcxml", "monoblock/shipped10.mprof"}) {
    std::string file = POLYTRACE_TEST_DATA "/";
    file += name;
    auto opened = service::Input({.file = file}).open_trace();
    ASSERT_TRUE(opened) << name;
    AggregatorOptions options;
    options.otherwise = kWall;
    options.most_rows = 1'000'000;
    Made made(std::move(options));
    Batch batch;
    while (opened->reader->next(batch).value_or(false)) made.feed(batch);
    made.finish();
    std::map<std::string, std::pair<U, U>> sums;
    bool cut = false;
    for (const auto& row : made.rows.of<warehouse::Profile10s>()) {
      if (row.carrier != 0) continue;
      const std::string stack = made.stack(row.stack);
      cut = cut || stack == "(... more)";
      const std::size_t at = stack.rfind(" > ");
      auto& sum = sums[at == stack.npos ? stack : stack.substr(at + 3)];
      sum.first += row.count, sum.second += row.weight;
    }
    EXPECT_FALSE(cut) << name;
    sums.erase("(runtime helpers)");
    EXPECT_EQ(sums, by_method_of_tree(file)) << name;
  }
}

TEST(windows, of_a_call_that_a_file_tells_to_last_decades_are_not_made) {
  Windows windows({});
  windows.set_clock(kWall, 0);
  std::uint64_t told = 0, count = 0;
  constexpr Time kDecades = Time{40} * 365 * 24 * 3600 * kSecond;
  windows.split(0, kDecades, [&](Window&, std::uint64_t time) { told += time, ++count; });
  EXPECT_EQ(count, Windows::kMostOpen);
  EXPECT_EQ(windows.open().size(), Windows::kMostOpen);
  EXPECT_EQ(told, Windows::kMostOpen * static_cast<std::uint64_t>(kWindow));
  EXPECT_EQ(windows.refused_time(), static_cast<std::uint64_t>(kDecades) - told);
  // What was closed makes room.
  windows.take();
  EXPECT_NE(windows.at(kDecades), nullptr);
  EXPECT_EQ(windows.at(2 * kDecades), nullptr);
}

}  // namespace
}  // namespace polytrace::collector
