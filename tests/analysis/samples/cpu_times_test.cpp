// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include <gtest/gtest.h>

#include "analysis/recording.hpp"

namespace polytrace::analysis {
namespace {

using U = std::uint64_t;

event::Enter enter(base::Duration cpu) {
  event::Enter details;
  details.cpu = cpu;
  return details;
}
event::Leave leave(base::Duration cpu) {
  event::Leave details;
  details.cpu = cpu;
  return details;
}
event::Cpu used(event::CpuScope scope, base::Duration nanoseconds) {
  event::Cpu details;
  details.scope = scope;
  details.used = nanoseconds;
  return details;
}

TEST(cpu_times, between_two_calls_the_method_a_thread_is_in_uses_it) {
  const auto cpu = make_cpu_times({});
  Recording r(*cpu);
  r.name(1, "Main").name(2, "Work");
  r.add(0, 1, enter(1000)).add(10, 2, enter(1040)).add(20, 2, enter(1050)).add(30, 2, leave(1080));
  r.add(40, 2, leave(1085)).add(50, 1, leave(1100)).finish();
  const auto tables = cpu->tables(r.names(), {});
  // Self, its share, inclusive (a recursion once), calls.
  EXPECT_EQ(tables[0].rows,
            (std::vector<std::vector<Cell>>{{U{55}, 55.0, U{100}, U{1}, std::string("Main")},
                                            {U{45}, 45.0, U{45}, U{2}, std::string("Work")}}));
}

TEST(cpu_times, calls_that_tell_none_are_not_followed) {
  const auto cpu = make_cpu_times({});
  Recording r(*cpu);
  r.name(1, "Main");
  r.add(0, 1, event::Enter{}).add(50, 1, event::Leave{}).finish();
  EXPECT_TRUE(cpu->tables(r.names(), {})[0].rows.empty());
}

TEST(cpu_times, records_of_threads_and_of_the_process_add_up) {
  const auto cpu = make_cpu_times({});
  Recording r(*cpu);
  event::Cpu wrong = used(event::CpuScope::thread, 1);
  wrong.bogus = 1;
  r.add(0, base::kNoId, used(event::CpuScope::thread, 30));
  r.add(50, base::kNoId, used(event::CpuScope::process, 70)).add(60, base::kNoId, wrong);
  r.add(100, base::kNoId, used(event::CpuScope::thread, 20)).finish();
  const auto table = cpu->tables(r.names(), {})[1];
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][1], Cell{U{50}});
  EXPECT_EQ(table.rows[0][3], Cell{50.0});
  EXPECT_EQ(table.notes,
            (std::vector<std::string>{"The whole process used 70 ns.",
                                      "1 record of CPU time left out: wrong by their own words."}));
  EXPECT_EQ(cpu->headlines(r.names()),
            (std::vector<std::string>{"the process used 70 ns of CPU time"}));
}

}  // namespace
}  // namespace polytrace::analysis
