// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include <gtest/gtest.h>

#include "analysis/recording.hpp"

namespace polytrace::analysis {
namespace {

using U = std::uint64_t;
using BurstRow = std::vector<Cell>;

TEST(exceptions, by_class_site_and_handler) {
  const auto analysis = make_exceptions({});
  Analysis& exceptions = *analysis;
  Recording r(exceptions);
  r.name(1, "Main").name(2, "Risky").name(3, "(wrapper throw)");
  event::Class type;
  type.name = "AppError";
  event::Alloc alloc;
  alloc.object = 0x8000;
  event::Move move;
  move.to = 0x9000;
  event::Throw thrown;
  thrown.stack = r.stack({1, 2, 3});
  r.add(1, 70, type).add(2, 70, alloc).add(3, 0x8000, move).add(4, 0x9000, thrown);
  r.add(5, 0x1234, event::Throw{});
  event::Clause finally;
  finally.clause = event::ClauseKind::finally;
  r.add(6, 2, finally).add(7, 1, event::Clause{}).add(8, 1, event::Clause{}).finish();

  const auto tables = exceptions.tables(r.names(), {});
  EXPECT_EQ(tables[0].rows,
            (std::vector<BurstRow>{{U{1}, 50.0, std::string("(class not recorded)")},
                                   {U{1}, 50.0, std::string("AppError")}}));
  EXPECT_EQ(cell(tables[1], "Risky", "class"), Cell{std::string("AppError")});
  EXPECT_EQ(cell(tables[1], "(no backtrace)", "class"), Cell{std::string("(class not recorded)")});
  EXPECT_EQ(tables[3].rows,
            (std::vector<BurstRow>{{U{2}, std::string("catch"), std::string("Main")},
                                   {U{1}, std::string("finally"), std::string("Risky")}}));
  EXPECT_EQ(exceptions.headlines(r.names()),
            (std::vector<std::string>{"2 exceptions thrown, 2 caught; mostly AppError"}));
}

TEST(exceptions, without_a_stack_count_for_the_call_around_wherever_it_began) {
  const auto analysis = make_exceptions({});
  Analysis& exceptions = *analysis;
  Recording r(exceptions);
  event::Throw thrown;
  r.name(1, "Main").name(2, "(wrapper throw)").enter(1, 1).cut();
  for (base::Time time = 2; time < 5000; time += 2) r.enter(time, 3).leave(time + 1, 3);
  r.enter(5001, 2).cut().add(5002, 0, thrown).leave(5003, 2).leave(5004, 1).cut();
  r.add(5005, 0, thrown).finish();
  const Table sites = exceptions.tables(r.names(), {})[1];
  EXPECT_EQ(cell(sites, "Main", "thrown"), Cell{U{1}});
  EXPECT_EQ(cell(sites, "(no backtrace)", "thrown"), Cell{U{1}});
  EXPECT_EQ(sites.notes.size(), 2U);
}

}  // namespace
}  // namespace polytrace::analysis
