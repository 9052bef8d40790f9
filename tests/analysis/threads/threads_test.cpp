// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/recording.hpp"
#include "analysis/sections.hpp"

namespace polytrace::analysis {
namespace {

using U = std::uint64_t;

event::Cpu used(base::Duration nanoseconds, base::Duration span = 0) {
  event::Cpu cpu;
  cpu.scope = event::CpuScope::thread;
  cpu.used = nanoseconds;
  cpu.span = span;
  return cpu;
}

event::Thread named(std::string_view name) {
  event::Thread thread;
  thread.life = event::Life::name;
  thread.name = name;
  return thread;
}

// By the names of its threads.
Cell cpu_of(const Table& table, std::string_view thread) {
  for (const std::vector<Cell>& row : table.rows)
    if (std::get<std::string>(row[0]) == thread) return row[5];
  return std::string("no such thread");
}

// The busy thread is the one that waits least, not the one that was there longest.
void record(Recording& r) {
  r.thread(1).add(0, 1, named("waits")).enter(0, 9);
  r.thread(2).add(0, 2, named("computes")).enter(2000, 9);
  r.thread(3).add(0, 3, named("unknown")).enter(0, 9);
  r.thread(1).add(1000, base::kNoId, used(10, 1000)).add(2000, base::kNoId, used(0));
  r.thread(2).add(3000, base::kNoId, used(900, 1000)).leave(3000, 9);
  r.thread(1).leave(9000, 9);
  r.thread(3).leave(9000, 9).finish();
}

TEST(threads, have_the_cpu_time_that_is_known) {
  const auto threads = make_threads({});
  Recording r(*threads);
  record(r);
  const Table table = threads->tables(r.names(), {})[0];
  EXPECT_EQ(cpu_of(table, "waits"), Cell{U{10}});
  EXPECT_EQ(cpu_of(table, "computes"), Cell{U{900}});
  EXPECT_EQ(cpu_of(table, "unknown"), Cell{});
  EXPECT_TRUE(table.notes.empty());
  EXPECT_EQ(threads->headlines(r.names()),
            (std::vector<std::string>{"3 threads, 0 ended in the trace",
                                      "computes used 900 ns of CPU in 3.00 µs"}));
}

TEST(threads, have_the_part_of_a_stretch_that_is_selected) {
  Shared shared{};
  shared.selection.from = 2500;
  shared.selection.to = 2900;
  const auto threads = make_threads(shared);
  Recording r(*threads);
  record(r);
  const Table table = threads->tables(r.names(), {})[0];
  EXPECT_EQ(cpu_of(table, "waits"), Cell{U{0}});
  EXPECT_EQ(cpu_of(table, "computes"), Cell{U{360}});
  EXPECT_EQ(threads->headlines(r.names())[1], "computes used 360 ns of CPU in 400 ns");
}

TEST(threads, without_any_cpu_time_say_that_theirs_is_wall_time) {
  const auto threads = make_threads({});
  Recording r(*threads);
  r.enter(0, 9).leave(10, 9).finish();
  const Table table = threads->tables(r.names(), {})[0];
  EXPECT_EQ(table.rows[0][5], Cell{});
  EXPECT_EQ(table.notes,
            (std::vector<std::string>{"CPU time is not known; \"Seen for\" is wall time."}));
}

}  // namespace
}  // namespace polytrace::analysis
