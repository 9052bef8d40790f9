// SPDX-License-Identifier: Apache-2.0
#include "slice/thread_cpu.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace polytrace::slice {
namespace {

using Used = std::optional<std::uint64_t>;

event::Cpu used(base::Duration nanoseconds, base::Duration span = 0) {
  event::Cpu cpu;
  cpu.scope = event::CpuScope::thread;
  cpu.used = nanoseconds;
  cpu.span = span;
  return cpu;
}

// Thread 0: known from 100 on, uses 50 in each 100, none from 300 to 900, 30 in 900 to 1000.
Used between(base::Time from, base::Time to) {
  Selection selection;
  selection.from = from;
  selection.to = to;
  ThreadCpu cpu(selection);
  cpu.take(0, 200, used(50, 100));
  cpu.take(0, 300, used(50));
  cpu.take(0, 400, used(0));
  cpu.take(0, 1000, used(30, 100));
  return cpu.used(0);
}

TEST(thread_cpu, all_of_it_adds_up) { EXPECT_EQ(between(0, 2000), Used(130)); }

TEST(thread_cpu, of_a_part_is_the_part_of_its_stretches) {
  EXPECT_EQ(between(150, 200), Used(25));
  EXPECT_EQ(between(150, 250), Used(50));
  EXPECT_EQ(between(180, 181), Used(1));
  EXPECT_EQ(between(950, 2000), Used(15));
}

TEST(thread_cpu, none_is_known_where_nothing_was_told) {
  EXPECT_EQ(between(0, 100), Used());
  EXPECT_EQ(between(1000, 2000), Used());
  EXPECT_EQ(ThreadCpu(Selection{}).used(3), Used());
}

TEST(thread_cpu, is_known_to_be_none_while_a_thread_waits) {
  EXPECT_EQ(between(300, 400), Used(0));
  EXPECT_EQ(between(500, 900), Used(0));
}

TEST(thread_cpu, is_none_to_the_end_after_an_event_that_says_so) {
  Selection late;
  late.from = 5000;
  ThreadCpu cpu(late);
  cpu.take(0, 200, used(50, 100));
  cpu.take(0, 300, used(0));
  cpu.take(1, 200, used(50, 100));
  EXPECT_EQ(cpu.used(0), Used(0));
  EXPECT_EQ(cpu.used(1), Used());
}

TEST(thread_cpu, a_first_event_without_a_stretch_counts_at_its_time) {
  ThreadCpu cpu(Selection{});
  cpu.take(0, 200, used(50));
  EXPECT_EQ(cpu.used(0), Used(50));
}

TEST(thread_cpu, is_the_same_where_figures_are_out_of_order) {
  ThreadCpu cpu(Selection{});
  cpu.take(0, 400, used(0, 100));
  cpu.take(0, 300, used(50, 100));
  EXPECT_EQ(cpu.used(0), Used(50));
  Selection late;
  late.from = 5000;
  ThreadCpu after(late);
  after.take(0, 400, used(0, 100));
  after.take(0, 300, used(50, 100));
  EXPECT_EQ(after.used(0), Used(0));
}

TEST(thread_cpu, counts_a_stretch_that_begins_before_all_times) {
  ThreadCpu cpu(Selection{});
  cpu.take(0, base::kNoTime + 10, used(50, std::numeric_limits<base::Duration>::max()));
  EXPECT_EQ(cpu.used(0), Used(50));
}

TEST(thread_cpu, a_figure_that_is_wrong_by_its_own_words_leaves_its_stretch_unknown) {
  Selection middle;
  middle.from = 210;
  middle.to = 290;
  ThreadCpu cpu(middle);
  event::Cpu wrong = used(-5);
  wrong.bogus = 1;
  cpu.take(0, 200, used(50, 100));
  cpu.take(0, 300, wrong);
  cpu.take(0, 400, used(10));
  EXPECT_EQ(cpu.used(0), Used());
}

}  // namespace
}  // namespace polytrace::slice
