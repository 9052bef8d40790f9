// SPDX-License-Identifier: Apache-2.0
#include "analysis/samples.hpp"

#include <gtest/gtest.h>

#include "recording.hpp"

namespace polytrace::analysis {
namespace {

using U = std::uint64_t;
using Row = std::vector<Cell>;

void hit(Recording& r, base::Id thread, base::Id ip, std::initializer_list<base::Id> stack) {
  event::Sample sample;
  sample.stack = r.stack(stack);
  const event::Stack natives = r.stack({ip});
  sample.natives.first = natives.first;
  sample.natives.count = 1;
  r.add(10, thread, sample);
}

TEST(Samples, SelfIsTheInnermostFrameInclusiveCountsOncePerSample) {
  Samples samples{Selection{}};
  Recording r(samples);
  r.name(1, "Main").name(2, "Rec");
  hit(r, 5, 0, {1, 2, 2});
  hit(r, 5, 0, {1});
  hit(r, 6, 0, {});
  hit(r, 6, 0, {0});
  r.finish();
  const Table table = samples.tables(r.names(), {})[0];
  EXPECT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(cell(table, "Main", "self"), Cell{U{1}});
  EXPECT_EQ(cell(table, "Main", "inclusive"), Cell{U{2}});
  EXPECT_EQ(cell(table, "Rec", "self"), Cell{U{1}});
  EXPECT_EQ(cell(table, "Rec", "inclusive"), Cell{U{1}});
  EXPECT_EQ(cell(table, "?", "self"), Cell{U{2}});
  const Table threads = samples.tables(r.names(), {})[2];
  EXPECT_EQ(threads.rows, (std::vector<Row>{{U{2}, 50.0, U{2}, U{0}, std::string("0x5")},
                                            {U{2}, 50.0, U{0}, U{2}, std::string("0x6")}}));
}

TEST(Samples, AnInstructionPointerBelongsToCodeThenToTheNearestSymbol) {
  Samples samples{Selection{}};
  Recording r(samples);
  hit(r, 5, 0x1010, {});  // explained later
  event::Method method;
  method.name = "Compiled";
  method.code = 0x1000;
  method.code_size = 0x20;
  r.add(1, 1, method);
  event::NativeSymbol symbol;
  symbol.name = "memcpy";
  r.add(1, 0x2000, symbol);
  hit(r, 5, 0x1020, {});         // just behind the method
  hit(r, 5, 0x2000 + 4096, {});  // as far as a symbol reaches
  hit(r, 5, 0x2000 + 4097, {});
  r.finish();
  const Table table = samples.tables(r.names(), {})[1];
  EXPECT_EQ(cell(table, "Compiled", "kind"), Cell{std::string("managed")});
  EXPECT_EQ(cell(table, "memcpy", "kind"), Cell{std::string("native")});
  EXPECT_EQ(cell(table, "?+0x1001 in memcpy", "kind"), Cell{std::string("unknown")});
  EXPECT_EQ(cell(table, "?", "hits"), Cell{U{1}});
  EXPECT_EQ(table.notes.at(0), "Managed code 1 (25.0 %), other code 3 (75.0 %), of it unknown 2.");
}

}  // namespace
}  // namespace polytrace::analysis
