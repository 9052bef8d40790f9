// SPDX-License-Identifier: Apache-2.0
// Whether calls were busy or waiting, by the CPU time of their threads: of methods with a walk of
// their own, and with the call tree's.
#include "slice/busy_times.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

#include "analysis/calls/calls.hpp"
#include "analysis/calls/calltree.hpp"
#include "analysis/recording.hpp"

namespace polytrace::analysis {
namespace {

using U = std::uint64_t;
constexpr base::Time ms = 1'000'000;

event::Cpu cpu_of_stretch(base::Duration time, base::Duration span) {
  event::Cpu cpu;
  cpu.scope = event::CpuScope::thread;
  cpu.used = time;
  cpu.span = span;
  return cpu;
}

// The methods of a recording, made twice.
class busy_times : public testing::TestWithParam<bool> {
 protected:
  explicit busy_times(const Selection& selection = {})
      : tree_(GetParam() ? std::make_shared<CallTree>(selection) : nullptr),
        calls_(selection, tree_),
        r(tree_ ? static_cast<Analysis&>(*tree_) : calls_) {
    r.name(1, "Main").name(2, "Work").name(3, "Wait");
  }
  Table methods() {
    if (tree_) calls_.finish(r.names());
    return calls_.tables(r.names(), {})[0];
  }
  // Of a method, in milliseconds: busy, waiting.
  static std::pair<double, double> times(const Table& table, std::string_view method) {
    const auto of = [&](const char* key) {
      return static_cast<double>(std::get<U>(cell(table, method, key))) / 1e6;
    };
    return {of("busy"), of("waiting")};
  }
  std::string headline() { return calls_.headlines(r.names())[0]; }
  using Pair = std::pair<double, double>;

 private:
  std::shared_ptr<CallTree> tree_;
  Calls calls_;

 protected:
  Recording r;
};

TEST_P(busy_times, is_shared_equally_by_the_pieces_of_a_stretch_but_for_those_that_are_shorter) {
  r.enter(0, 1).enter(100 * ms, 2).leave(160 * ms, 2).leave(170 * ms, 1);
  r.add(100 * ms, base::kNoId, cpu_of_stretch(0, 100 * ms));
  r.add(200 * ms, base::kNoId, cpu_of_stretch(30 * ms, 0)).finish();
  const Table table = methods();
  EXPECT_EQ(times(table, "Work"), Pair(20, 40));
  EXPECT_EQ(times(table, "Main"), Pair(10, 100));
  EXPECT_EQ(table.rows[0].back(), Cell{"Work"});  // though Main has more self time
  EXPECT_EQ(headline(), "2 calls; busiest: Work with 20.0 ms of CPU time (66.7 %) in 1 call");
  EXPECT_TRUE(table.notes.empty());
}

TEST_P(busy_times, is_known_up_to_the_ends_of_time) {
  constexpr base::Time kFirst = base::kNoTime + 1;
  constexpr base::Time kLast = std::numeric_limits<base::Time>::max();
  r.add(kFirst + 1, base::kNoId, cpu_of_stretch(0, kLast));
  r.enter(kFirst, 1).enter(kFirst + 100 * ms, 2).leave(kLast, 2).leave(kLast, 1);
  r.add(kLast - 1, base::kNoId, cpu_of_stretch(kLast, kLast)).finish();
  const auto [busy, waiting] = times(methods(), "Work");
  EXPECT_NEAR(busy, static_cast<double>(kLast) / 1e6, 1);
  EXPECT_NEAR(waiting, static_cast<double>(kLast) / 1e6, 200);
}

TEST_P(busy_times, is_of_many_short_calls_not_of_one_that_waits_beside_them) {
  r.enter(0, 1);
  for (base::Time i = 0; i < 1000; ++i) r.enter(i * ms / 100, 2).leave((i + 1) * ms / 100, 2);
  r.enter(10 * ms, 3).leave(90 * ms, 3).leave(90 * ms, 1);
  r.add(100 * ms, base::kNoId, cpu_of_stretch(12 * ms, 100 * ms)).finish();
  const Table table = methods();
  EXPECT_EQ(times(table, "Work"), Pair(10, 0));
  EXPECT_EQ(times(table, "Wait"), Pair(2, 78));
}

TEST_P(busy_times, is_no_longer_than_the_call) {
  r.enter(10 * ms, 1)
      .leave(20 * ms, 1)
      .add(100 * ms, base::kNoId, cpu_of_stretch(90 * ms, 100 * ms));
  r.enter(100 * ms, 1).leave(110 * ms, 1).finish();
  const Table table = methods();
  EXPECT_EQ(times(table, "Main"), Pair(10, 0));
  EXPECT_EQ(table.notes,
            std::vector<std::string>{
                "Of 10.0 ms self time it is not known whether it was busy or waiting."});
}

TEST_P(busy_times, leaves_known_waits_out_of_what_is_shared) {
  event::Wait begins;
  begins.stage = event::WaitStage::start;
  event::Wait ends;
  ends.stage = event::WaitStage::end;
  r.enter(0, 1).enter(0, 3).add(0, 7, begins).add(60 * ms, 7, ends).leave(60 * ms, 3);
  r.leave(100 * ms, 1).add(100 * ms, base::kNoId, cpu_of_stretch(40 * ms, 100 * ms)).finish();
  const Table table = methods();
  EXPECT_EQ(times(table, "Wait"), Pair(0, 60));
  EXPECT_EQ(times(table, "Main"), Pair(40, 0));
}

TEST_P(busy_times, is_blank_where_no_figure_tells) {
  r.thread(1)
      .enter(0, 1)
      .leave(100 * ms, 1)
      .add(100 * ms, base::kNoId, cpu_of_stretch(50 * ms, 100 * ms));
  r.thread(2).enter(0, 2).leave(100 * ms, 2).finish();
  const Table table = methods();
  EXPECT_EQ(times(table, "Main"), Pair(50, 50));
  EXPECT_EQ(cell(table, "Work", "busy"), Cell{});
  EXPECT_EQ(cell(table, "Work", "waiting"), Cell{});
}

TEST_P(busy_times, is_blank_where_no_thread_has_figures) {
  r.enter(0, 1).leave(100 * ms, 1).finish();
  EXPECT_EQ(cell(methods(), "Main", "busy"), Cell{});
  EXPECT_EQ(headline(),
            "1 call; most time: Main with 100 ms self, waits included (100.0 %) in 1 call");
}

TEST_P(busy_times, waits_behind_a_figure_that_says_none) {
  r.enter(0, 1).add(50 * ms, base::kNoId, cpu_of_stretch(50 * ms, 50 * ms));
  r.add(100 * ms, base::kNoId, cpu_of_stretch(0, 0)).leave(9000 * ms, 1).finish();
  EXPECT_EQ(times(methods(), "Main"), Pair(50, 8950));
}

TEST_P(busy_times, is_the_same_whichever_comes_first_calls_or_figures) {
  r.add(100 * ms, base::kNoId, cpu_of_stretch(25 * ms, 100 * ms)).cut();
  r.enter(0, 1).leave(50 * ms, 1).cut();
  r.add(200 * ms, base::kNoId, cpu_of_stretch(10 * ms, 0)).cut();
  r.enter(150 * ms, 2).leave(200 * ms, 2).finish();
  const Table table = methods();
  EXPECT_EQ(times(table, "Main"), Pair(25, 25));
  EXPECT_EQ(times(table, "Work"), Pair(10, 40));
}

TEST_P(busy_times, takes_figures_by_their_time) {
  r.enter(0, 1).leave(300 * ms, 1);
  r.add(100 * ms, base::kNoId, cpu_of_stretch(100 * ms, 100 * ms));
  r.add(300 * ms, base::kNoId, cpu_of_stretch(20 * ms, 0)).cut();
  r.add(200 * ms, base::kNoId, cpu_of_stretch(100 * ms, 0)).finish();
  EXPECT_EQ(times(methods(), "Main"), Pair(220, 80));
}

// So many calls come before it that the trace seemed to have none.
TEST_P(busy_times, is_known_from_a_late_first_figure_on) {
  r.enter(0, 1);
  for (base::Time i = 0; i < 150'000; ++i) r.enter(i * 1000, 2).leave(i * 1000 + 1000, 2);
  r.cut();
  r.enter(150 * ms, 3).cut();
  r.add(200 * ms, base::kNoId, cpu_of_stretch(10 * ms, 50 * ms)).cut();
  r.leave(300 * ms, 3).leave(400 * ms, 1);
  r.add(400 * ms, base::kNoId, cpu_of_stretch(40 * ms, 0)).finish();
  const Table table = methods();
  EXPECT_EQ(cell(table, "Work", "busy"), Cell{});
  EXPECT_EQ(times(table, "Main"), Pair(40, 60));  // behind the call that was open at the figure
  EXPECT_EQ(cell(table, "Main", "self"), Cell{static_cast<U>(100 * ms)});
  EXPECT_EQ(cell(table, "Wait", "self"), Cell{static_cast<U>(150 * ms)});
}

TEST(suspects, are_methods_that_are_busy_not_those_that_wait) {
  CallTree tree{Selection{}};
  Recording r(tree);
  r.name(1, "Main").name(2, "Work").name(3, "Wait").enter(0, 1);
  base::Time time = 0;
  const auto call = [&](base::Id method, base::Time lasts) {
    for (int i = 0; i < 20'000; ++i, time += lasts)
      r.enter(time, method).leave(time + lasts, method);
  };
  call(3, ms);
  r.add(time, base::kNoId, cpu_of_stretch(0, time));
  call(2, ms / 100);
  r.add(time, base::kNoId, cpu_of_stretch(200 * ms, 0)).leave(time, 1).finish();
  const std::vector<Suspect> suspects = tree.suspects(r.names());
  ASSERT_EQ(suspects.size(), 1U);
  EXPECT_EQ(suspects[0].what, "Work");
  EXPECT_EQ(suspects[0].why,
            "100.0 % of the busy time in 20,000 calls, 20000 for each call of Main");
}

// By another way: each stretch looks at all pieces, and finds what each has by trying.
struct ExactBusy {
  struct Own {
    base::Id method;
    base::Time from;
    base::Time to;
  };
  std::vector<Own> all;
  std::map<base::Id, std::pair<double, double>> times;

  void share_out(base::Time from, base::Time to, double cpu) {
    const auto part = [&](const Own& own) {
      return std::max<double>(0, static_cast<double>(std::min(to, own.to)) -
                                     static_cast<double>(std::max(from, own.from)));
    };
    double less = 0;
    double more = static_cast<double>(to - from);
    for (int i = 0; i < 60; ++i) {
      const double share = (less + more) / 2;
      double sum = 0;
      for (const Own& own : all) sum += std::min(part(own), share);
      (sum < cpu ? less : more) = share;
    }
    for (const Own& own : all) {
      const double busy = std::min(part(own), more);
      times[own.method].first += busy;
      times[own.method].second += part(own) - busy;
    }
  }
};

TEST_P(busy_times, agrees_with_a_model_that_looks_at_every_call) {
  constexpr base::Time kStretch = 100 * ms;
  constexpr int kStretches = 40;
  std::mt19937 random(7);
  ExactBusy model;
  base::Time time = 0;
  std::vector<base::Id> open;
  std::vector<base::Duration> figures;
  const auto pass = [&](base::Time to) {
    if (!open.empty()) model.all.push_back({open.back(), time, to});
    time = to;
  };
  for (int stretch = 0; stretch < kStretches; ++stretch) {
    const base::Time end = (stretch + 1) * kStretch;
    for (;;) {
      const base::Time next = time + 50'000 + random() % (stretch % 2 == 0 ? 200'000 : 30'000'000);
      if (next >= end) break;
      pass(next);
      if (open.size() < 3 && random() % 2 == 0) r.enter(next, open.emplace_back(1 + random() % 3));
      else if (!open.empty()) r.leave(next, open.back()), open.pop_back();
      if (random() % 100 == 0) r.cut();
    }
    figures.push_back(static_cast<base::Duration>(random() % kStretch));
    r.add(end, base::kNoId, cpu_of_stretch(figures.back(), kStretch));
  }
  while (!open.empty()) {
    pass(kStretches * kStretch);
    r.leave(time, open.back());
    open.pop_back();
  }
  r.finish();
  for (int i = 0; i < kStretches; ++i)
    model.share_out(i * kStretch, (i + 1) * kStretch, static_cast<double>(figures[i]));
  const Table table = methods();
  for (const auto& [method, name] : {std::pair(1, "Main"), {2, "Work"}, {3, "Wait"}}) {
    const auto [busy, waiting] = times(table, name);
    EXPECT_NEAR(busy, model.times[method].first / 1e6, 0.001) << name;
    EXPECT_NEAR(waiting, model.times[method].second / 1e6, 0.001) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(both, busy_times, testing::Bool());

}  // namespace
}  // namespace polytrace::analysis
