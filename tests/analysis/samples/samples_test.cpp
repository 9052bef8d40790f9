// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/recording.hpp"
#include "analysis/samples/code_map.hpp"

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

TEST(samples, self_is_the_innermost_frame_inclusive_counts_once_per_sample) {
  const auto analysis = make_samples({});
  Analysis& samples = *analysis;
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

// CoreProfiler has a function of id 0: what is not of the runtime.
TEST(samples, a_method_of_id0_is_one_where_the_trace_defines_it) {
  const auto analysis = make_samples({});
  Analysis& samples = *analysis;
  Recording r(samples);
  r.name(0, "<UNMANAGED>").name(1, "Main");
  hit(r, 5, 0, {1, 0});
  hit(r, 5, 0, {});
  r.finish();
  const Table table = samples.tables(r.names(), {})[0];
  EXPECT_EQ(cell(table, "<UNMANAGED>", "self"), Cell{U{1}});
  EXPECT_EQ(cell(table, "?", "self"), Cell{U{1}});
}

TEST(samples, while_paused_are_a_sum_of_their_own) {
  const auto analysis = make_samples({});
  Analysis& samples = *analysis;
  Recording r(samples);
  r.name(1, "Main");
  event::Recording pause, resume;
  pause.stage = event::RecordingStage::pause;
  resume.stage = event::RecordingStage::resume;
  hit(r, 5, 0, {1});
  r.add(11, base::kNoId, pause);
  hit(r, 5, 0, {1});
  hit(r, 5, 0, {1});
  r.add(12, base::kNoId, resume);
  r.finish();
  const Table table = samples.tables(r.names(), {})[0];
  EXPECT_EQ(cell(table, "Main", "self"), Cell{U{1}});
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_EQ(table.notes[0], "2 samples while the recording was paused: not counted.");
  EXPECT_EQ(samples.headlines(r.names())[0].substr(0, 8), "1 sample");
}

// The IL map counts native offsets through both blocks: 0x10 bytes at 0x1000, 0x20 at 0x5000.
TEST(samples, an_instruction_pointer_of_a_frame_becomes_an_il_offset) {
  const auto analysis = make_samples({});
  Analysis& samples = *analysis;
  Recording r(samples);
  r.name(1, "Main");
  const auto at = [&](base::Id ip) {
    event::Sample sample;
    sample.stack = r.stack({1});
    sample.stack.places = r.place({.ip = ip});
    r.add(10, 5, sample);
  };
  at(0x1004);  // explained later
  event::Code first;
  first.method = 1;
  first.size = 0x10;
  first.il_map = r.il_map({{IlPlace::kPrologue, 0, 4}, {0, 4, 0x14}, {7, 0x14, 0x20}});
  event::Code second;
  second.method = 1;
  second.size = 0x20;
  r.add(11, 0x1000, first).add(11, 0x5000, second);
  at(0x1003);
  at(0x5003);  // the 0x13th byte
  at(0x5004);
  at(0x5010);  // behind the map
  at(0x9000);  // no code
  r.finish();
  const Table table = samples.tables(r.names(), {"il", 0})[3];
  const std::string main = r.names().method_name(r.names().methods().index(1));
  EXPECT_THAT(table.rows,
              testing::UnorderedElementsAre(Row{U{2}, 100.0 * 2 / 6, std::string("0x0000"), main},
                                            Row{U{1}, 100.0 / 6, std::string("0x0007"), main},
                                            Row{U{1}, 100.0 / 6, std::string("prologue"), main},
                                            Row{U{1}, 100.0 / 6, std::string("not mapped"), main}));
  EXPECT_EQ(table.notes.size(), 1U);
}

TEST(samples, an_instruction_pointer_belongs_to_code_then_to_the_nearest_symbol) {
  const auto analysis = make_samples({});
  Analysis& samples = *analysis;
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
