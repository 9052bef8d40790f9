// SPDX-License-Identifier: Apache-2.0
#include "analysis/asked.hpp"

#include "analysis/sections.hpp"

namespace polytrace::test {
namespace {

using analysis::make_monitors;
using event::Monitor;
using event::MonitorStage;

constexpr base::Id kA = 1, kB = 2;
constexpr base::Id kLock = 0x1000, kGate = 0x2000, kType = 0x100;

Monitor monitor(MonitorStage stage, event::Stack stack = {}) {
  Monitor out;
  out.stage = stage;
  out.stack = stack;
  return out;
}

// A waits 40 and 60 for the lock; B 5 for the gate, in vain, and for the lock without end.
void contention(event::Batch& batch) {
  Stream a(batch, kA), b(batch, kB);
  a.type(kType, "App.Lock").method(1, "Main").method(2, "Work").method(3, "(wrapper x) enter");
  a.add(100, kLock, monitor(MonitorStage::contended, a.stack({1, 2, 3})));
  b.add(110, kGate, monitor(MonitorStage::contended));
  b.add(115, kGate, monitor(MonitorStage::failed));
  a.add(140, kLock, monitor(MonitorStage::acquired));
  a.add(200, kLock, monitor(MonitorStage::contended, a.stack({1})));
  a.add(260, kLock, monitor(MonitorStage::acquired));
  a.add(270, kLock, monitor(MonitorStage::acquired));  // of no contention
  b.add(300, kLock, monitor(MonitorStage::contended));
  b.add(0, kType, event::Alloc{kLock, 16, {}, 0, 0});  // told late
}

TEST(monitors, totals) {
  event::Batch batch;
  contention(batch);
  const Table table = Asked(make_monitors({})).feed(batch).finish().table("monitor_totals");
  EXPECT_EQ(number(table, 0, "contentions"), 4U);
  EXPECT_EQ(number(table, 0, "acquired"), 3U);
  EXPECT_EQ(number(table, 0, "failed"), 1U);
  EXPECT_EQ(number(table, 0, "wait"), 105U);
  EXPECT_EQ(number(table, 0, "longest"), 60U);
  EXPECT_EQ(std::get<double>(cell(table, 0, "average")), 35.0);
  EXPECT_EQ(table.notes.size(), 1U);  // one never ended
}

TEST(monitors, by_lock_and_class) {
  event::Batch batch;
  contention(batch);
  Asked asked(make_monitors({}));
  asked.feed(batch).finish();
  const Table locks = asked.table("monitors");
  ASSERT_EQ(locks.rows.size(), 2U);
  EXPECT_EQ(number(locks, 0, "object"), kLock);
  EXPECT_EQ(text(locks, 0, "class"), "App.Lock");
  EXPECT_EQ(number(locks, 0, "contentions"), 3U);
  EXPECT_EQ(number(locks, 0, "wait"), 100U);
  EXPECT_EQ(number(locks, 1, "failures"), 1U);
  EXPECT_EQ(text(locks, 1, "class"), "(class not recorded)");
  const Table classes = asked.table("monitor_classes");
  EXPECT_EQ(text(classes, 0, "class"), "App.Lock");
  EXPECT_EQ(number(classes, 0, "objects"), 1U);
}

TEST(monitors, by_site_and_thread) {
  event::Batch batch;
  contention(batch);
  Asked asked(make_monitors({}));
  asked.feed(batch).finish();
  const Table sites = asked.table("monitor_sites");
  EXPECT_EQ(text(sites, 0, "site"), "Main");
  EXPECT_EQ(number(sites, 0, "wait"), 60U);
  EXPECT_EQ(text(sites, 1, "site"), "Work");
  EXPECT_EQ(number(sites, 1, "wait"), 40U);
  const Table threads = asked.table("monitor_threads");
  EXPECT_EQ(number(threads, 0, "wait"), 100U);
  EXPECT_EQ(number(threads, 1, "contentions"), 2U);
  EXPECT_EQ(asked.headlines().at(0),
            "Threads waited 105 ns for locks in 4 contentions, the longest 60 ns.");
}

TEST(monitors, only_contentions_of_the_selection) {
  event::Batch batch;
  contention(batch);
  slice::Selection selection;
  selection.from = 150, selection.to = 250;
  const Table table =
      Asked(make_monitors({selection})).feed(batch).finish().table("monitor_totals");
  EXPECT_EQ(number(table, 0, "contentions"), 1U);
  EXPECT_EQ(number(table, 0, "wait"), 60U);
  EXPECT_EQ(number(table, 0, "acquired"), 0U);
}

TEST(monitors, an_object_that_moved_keeps_its_class) {
  event::Batch batch;
  Stream a(batch, kA);
  a.type(kType, "App.Lock")
      .add(1, kType, event::Alloc{0x50, 16, {}, 0, 0})
      .add(2, 0x50, event::Move{0x90})
      .add(3, 0x90, monitor(MonitorStage::contended));
  const Table table = Asked(make_monitors({})).feed(batch).finish().table("monitors");
  EXPECT_EQ(text(table, 0, "class"), "App.Lock");
}

}  // namespace
}  // namespace polytrace::test
