// SPDX-License-Identifier: Apache-2.0
// Analyses against the simplest thing that could be right, on random traces.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "analysis/calls/calltree.hpp"
#include "analysis/memory/object_fates.hpp"
#include "analysis/threads/lock_graph.hpp"
#include "base/duration_sketch.hpp"
#include "recording.hpp"
#include "slice/pauses.hpp"

namespace polytrace::analysis {
namespace {

using U = std::uint64_t;
using base::Id;
using base::Time;

constexpr Time kEnd = 1200;
constexpr std::size_t kMethods = 5;
constexpr std::size_t kThreads = 3;

event::Monitor monitor(event::MonitorStage stage) {
  event::Monitor details;
  details.stage = stage;
  return details;
}
event::Wait wait(event::WaitStage stage) {
  event::Wait details;
  details.stage = stage;
  return details;
}

// Counts every nanosecond of every thread by itself.
struct Model {
  struct Thread {
    std::vector<Id> stack;
    bool blocked = false;
    bool waiting = false;
    Time last = 0;
    std::vector<std::vector<Id>> stacks{static_cast<std::size_t>(kEnd)};  // by nanosecond
    std::vector<bool> idle = std::vector<bool>(static_cast<std::size_t>(kEnd));
  };
  std::array<Thread, kThreads> threads;
  std::array<U, kMethods> calls{}, total{}, self{}, elapsed{};

  void leave(Thread& thread, Id method) {
    const auto found = std::find(thread.stack.rbegin(), thread.stack.rend(), method);
    if (found != thread.stack.rend())
      thread.stack.erase(std::prev(found.base()), thread.stack.end());
  }
  // What holds from `time` to the next nanosecond.
  void tick(Time time) {
    for (Thread& thread : threads) {
      thread.stacks[static_cast<std::size_t>(time)] = thread.stack;
      thread.idle[static_cast<std::size_t>(time)] = thread.blocked || thread.waiting;
    }
  }
  void sum(const Selection& selection, const std::vector<bool>& paused) {
    for (const Thread& thread : threads)
      for (Time time = std::max<Time>(selection.from, 0);
           time < std::min(selection.to, thread.last); ++time) {
        const auto at = static_cast<std::size_t>(time);
        if ((selection.subtract_waits && thread.idle[at]) || (selection.pauses && paused[at]))
          continue;
        const auto& stack = thread.stacks[at];
        if (!stack.empty()) ++self[stack.back()];
        for (std::size_t i = 0; i < stack.size(); ++i) {
          ++total[stack[i]];
          elapsed[stack[i]] += std::find(stack.begin(), stack.begin() + static_cast<long>(i),
                                         stack[i]) == stack.begin() + static_cast<long>(i);
        }
      }
  }
};

// One random event a nanosecond, to the model and to an analysis.
void play(unsigned seed, Model& model, Recording& r) {
  std::mt19937 random(seed);
  for (Time time = 0; time < kEnd; ++time) {
    const std::size_t number = random() % kThreads;
    Model::Thread& thread = model.threads[number];
    const Id method = random() % kMethods;
    const U what = random() % 16;
    r.thread(100 + number);
    thread.last = time;
    if (what < 6) {
      r.enter(time, method);
      thread.stack.push_back(method);
      ++model.calls[method];
    } else if (what < 12) {
      what == 6 ? r.unwind(time, method) : r.leave(time, method);
      model.leave(thread, method);
    } else if (what < 14) {
      r.add(
          time, 0x77,
          monitor(thread.blocked ? event::MonitorStage::acquired : event::MonitorStage::contended));
      thread.blocked = !thread.blocked;
    } else if (thread.waiting && random() % 4 == 0) {
      // Begins again: it waits all along.
      r.add(time, 0x78, wait(event::WaitStage::start));
    } else {
      r.add(time, 0x78, wait(thread.waiting ? event::WaitStage::end : event::WaitStage::start));
      thread.waiting = !thread.waiting;
    }
    model.tick(time);
    if (random() % 50 == 0) r.cut();
    if (random() % 400 == 0) r.name(method, "late");
  }
  r.finish();
}

Selection random_selection(unsigned seed, std::vector<bool>& paused) {
  std::mt19937 random(seed + 1000);
  Selection selection;
  if (seed % 2 == 1) selection.from = 200, selection.to = 900;
  selection.subtract_waits = seed % 4 >= 2;
  if (seed % 8 < 4) return selection;
  PauseFinder finder;
  for (Time time = 0; time < kEnd;) {
    const Time start = time + 1 + static_cast<Time>(random() % 80);
    const Time end = start + 1 + static_cast<Time>(random() % 30);
    finder.add(1, start, event::GcPhase::world_stopped);
    finder.add(1, end, event::GcPhase::world_started);
    for (Time at = start; at < std::min(end, kEnd); ++at)
      paused[static_cast<std::size_t>(at)] = true;
    time = end;
  }
  selection.pauses = std::make_shared<Pauses>(finder.take());
  return selection;
}

TEST(models, calls_with_recursion_unwinding_waits_and_pauses) {
  for (unsigned seed = 0; seed < 64; ++seed) {
    std::vector<bool> paused(static_cast<std::size_t>(kEnd));
    const Selection selection = random_selection(seed, paused);
    for (const bool fold : {false, true}) {
      Selection folded = selection;
      folded.fold_recursion = fold;
      CallTree tree(folded);
      Recording r(tree);
      Model model;
      play(seed, model, r);
      model.sum(selection, paused);
      for (std::uint32_t i = 0; i < tree.totals().size(); ++i) {
        const Id method = r.names().methods().id(i);
        ASSERT_EQ(tree.totals()[i].self, model.self[method]) << seed << " self " << method << fold;
        ASSERT_EQ(tree.totals()[i].elapsed, model.elapsed[method]) << seed << " elapsed " << fold;
        ASSERT_EQ(tree.totals()[i].total, model.total[method]) << seed << " total " << fold;
        if (selection.from < 0) {
          ASSERT_EQ(tree.totals()[i].calls, model.calls[method]) << seed;
        }
      }
    }
  }
}

TEST(models, quantiles_are_within_their_error) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 40; ++round) {
    base::DurationSketch one, other;
    std::vector<U> all;
    const U count = 1 + random() % 3000;
    for (U i = 0; i < count; ++i) {
      all.push_back(random() >> (random() % 64));
      (i % 3 == 0 ? one : other).add(all.back());
    }
    one.merge(other);
    std::sort(all.begin(), all.end());
    for (const unsigned percent : {0U, 1U, 50U, 95U, 99U, 100U}) {
      const U rank = std::max<U>((count * percent + 99) / 100, 1);
      const auto exact = static_cast<double>(all[rank - 1]);
      EXPECT_LE(std::abs(static_cast<double>(one.quantile(percent)) - exact), exact / 33 + 1e-9)
          << percent << " of " << count;
    }
  }
}

TEST(models, least_utilisation) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<bool> paused(300);
    PauseFinder finder;
    for (int i = 0; i < 8; ++i) {
      const Time start = static_cast<Time>(random() % 280);
      const Time end = start + 1 + static_cast<Time>(random() % 19);
      finder.add(static_cast<U>(i), start, event::GcPhase::start);
      finder.add(static_cast<U>(i), end, event::GcPhase::end);
      for (Time at = start; at < end; ++at) paused[static_cast<std::size_t>(at)] = true;
    }
    const Pauses pauses = finder.take();
    for (const std::size_t window : {1U, 7U, 30U, 299U, 300U}) {
      std::size_t most = 0;
      for (std::size_t from = 0; from + window <= 300; ++from)
        most = std::max(most, static_cast<std::size_t>(std::count(
                                  paused.begin() + static_cast<long>(from),
                                  paused.begin() + static_cast<long>(from + window), true)));
      const double expected = 1 - static_cast<double>(most) / static_cast<double>(window);
      EXPECT_DOUBLE_EQ(least_utilisation(pauses, window, 0, 300).value(), expected);
    }
    EXPECT_FALSE(least_utilisation(pauses, 301, 0, 300));
  }
}

TEST(models, queues_at_locks_and_time_by_holder) {
  std::mt19937 random(13);
  for (int round = 0; round < 12; ++round) {
    LockGraph graph;
    std::vector<LockGraph::Wait> waits;
    std::set<Time> ends;  // at one time only one thread gets a lock
    for (std::uint32_t i = 0; i < 30; ++i) {
      LockGraph::Wait wait;
      wait.lock = random() % 2;
      wait.thread = i;
      wait.start = static_cast<Time>(random() % 100);
      wait.end = wait.start + static_cast<Time>(1000 * (random() % 3)) + static_cast<Time>(i) + 1;
      while (!ends.insert(wait.end).second) ++wait.end;
      waits.push_back(wait);
      graph.add(wait);
    }
    graph.finish();
    U blocked = 0;
    U waited = 0;
    for (const auto& [edge, figures] : graph.edges()) blocked += figures.time;
    for (const LockGraph::Queue& queue : graph.queues()) {
      U awaited = 0, crowded = 0, most = 0;
      for (Time at = 0; at < 2200; ++at) {
        const auto now = static_cast<U>(std::ranges::count_if(waits, [&](const auto& w) {
          return w.lock == queue.lock && w.start <= at && at < w.end;
        }));
        awaited += now >= 1;
        crowded += now >= 2;
        most = std::max(most, now);
      }
      EXPECT_EQ(queue.awaited, awaited);
      EXPECT_EQ(queue.crowded, crowded);
      EXPECT_EQ(queue.most, most);
      waited += queue.wait;
    }
    EXPECT_EQ(blocked, waited);  // every nanosecond of a wait is somebody's
    // The holder at a time is who got the lock last since the wait began.
    std::map<LockGraph::Edge, U> model;
    for (const auto& w : waits)
      for (Time at = w.start; at < w.end; ++at) {
        std::uint32_t holder = LockGraph::kNone;
        Time since = w.start;
        for (const auto& other : waits)
          if (other.lock == w.lock && other.end <= at && other.end > w.start && other.end >= since)
            holder = other.thread, since = other.end;
        ++model[{holder, w.thread, w.lock}];
      }
    for (const auto& [edge, time] : model) {
      const auto found = graph.edges().find(edge);
      ASSERT_NE(found, graph.edges().end()) << round;
      EXPECT_EQ(found->second.time, time) << round;
    }
  }
}

TEST(lock_graph, a_holder_that_waits_makes_a_chain) {
  LockGraph graph;
  graph.add({1, 10, LockGraph::kNone, LockGraph::kNone, 0, 50, true, LockGraph::kNone});
  graph.add({1, 11, LockGraph::kNone, LockGraph::kNone, 20, 200, true, LockGraph::kNone});
  graph.add({2, 10, LockGraph::kNone, LockGraph::kNone, 60, 150, true, LockGraph::kNone});
  graph.finish();
  const auto& waits = graph.waits();
  const auto of = [&](std::uint32_t thread, std::uint32_t lock) {
    return std::ranges::find_if(
        waits, [&](const auto& w) { return w.thread == thread && w.lock == lock; });
  };
  ASSERT_NE(of(11, 1)->next, LockGraph::kNone);
  EXPECT_EQ(&waits[of(11, 1)->next], &*of(10, 2));
  EXPECT_EQ(of(10, 1)->next, LockGraph::kNone);
}

TEST(models, fates_of_objects) {
  std::mt19937 random(17);
  for (int round = 0; round < 100; ++round) {
    struct Object {
      std::uint32_t type;
      U size;
      std::uint32_t born;
    };
    ObjectFates fates;
    std::map<Id, Object> living;
    std::array<U, 3> made{}, dead{}, dead_bytes{}, young{};
    std::uint32_t collections = 0;
    const auto die = [&](const Object& object) {
      ++dead[object.type];
      dead_bytes[object.type] += object.size;
    };
    for (Time time = 0; time < 500; ++time) {
      const Id id = 1 + random() % 40;
      const Id to = 1 + random() % 40;
      switch (random() % 8) {
        case 0:
          fates.freed(id, {});
          if (living.contains(id)) die(living[id]);
          living.erase(id);
          break;
        case 1:
          fates.moved(id, to);
          if (id == to || !living.contains(id)) break;
          if (living.contains(to)) die(living[to]);
          living[to] = living[id];
          living.erase(id);
          break;
        case 2:
          fates.collected();
          ++collections;
          break;
        default: {
          const auto type = static_cast<std::uint32_t>(random() % 3);
          event::Alloc alloc;
          alloc.object = id;
          alloc.size = 1 + random() % 100;
          fates.made(time, type, 0, alloc);
          if (living.contains(id)) die(living[id]);
          living[id] = {type, alloc.size, collections};
          ++made[type];
        }
      }
    }
    fates.finish();
    for (const auto& [id, object] : living) young[object.type] += object.born == collections;
    for (const Fate& fate : fates.fates()) {
      EXPECT_EQ(fate.made, made[fate.type]);
      EXPECT_EQ(fate.dead, dead[fate.type]);
      EXPECT_EQ(fate.dead_bytes, dead_bytes[fate.type]);
      EXPECT_EQ(fate.young, young[fate.type]);
    }
  }
}

// Allocations whose object is not told: "none", or 0 where a format has no word for that.
TEST(models, fates_of_objects_that_are_not_told) {
  ObjectFates fates;
  for (const Id none : {Id{0}, base::kNoId}) {
    event::Alloc alloc;
    alloc.object = none;
    alloc.size = 8;
    for (Time time = 0; time < 10; ++time) fates.made(time, 1, 0, alloc);
  }
  fates.finish();
  EXPECT_EQ(fates.known_deaths(), 0U);
  ASSERT_EQ(fates.fates().size(), 1U);
  EXPECT_EQ(fates.fates()[0].made, 20U);
  EXPECT_EQ(fates.fates()[0].unfollowed, 20U);
}

}  // namespace
}  // namespace polytrace::analysis
