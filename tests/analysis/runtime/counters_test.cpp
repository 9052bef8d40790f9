// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include "analysis/asked.hpp"

namespace polytrace::test {
namespace {

using event::CounterDef;
using event::CounterType;
using event::CounterUnit;
using event::CounterValue;

constexpr base::Id kHelper = 1;

CounterDef def(std::uint32_t section, std::string_view name, CounterType type, CounterUnit unit) {
  CounterDef out;
  out.section = section;
  out.name = name;
  out.type = type;
  out.unit = unit;
  return out;
}
CounterValue whole(CounterType type, std::int64_t number) {
  CounterValue out;
  out.type = type;
  out.number = number;
  return out;
}

TEST(counters, last_least_most_and_series) {
  event::Batch batch;
  Stream(batch, kHelper)
      .add(0, 1, def(0x4000, "Working Set", CounterType::int64, CounterUnit::bytes))
      .add(0, 2, def(0x100, "Never used", CounterType::int32, CounterUnit::raw))
      .add(0, 1, whole(CounterType::int64, 10))
      .add(1024, 1, whole(CounterType::int64, -5))
      .add(4096, 1, whole(CounterType::int64, 7));
  Asked asked(analysis::make_counters({}));
  const Table table = asked.feed(batch).finish().table("counters");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(text(table, 0, "section"), "Mono System");
  EXPECT_EQ(text(table, 0, "unit"), "bytes");
  EXPECT_EQ(number(table, 0, "last"), 7U);
  EXPECT_EQ(std::get<std::int64_t>(cell(table, 0, "least")), -5);
  EXPECT_EQ(number(table, 0, "most"), 10U);
  EXPECT_EQ(text(table, 0, "series"), "10,-5,-5,-5,7");
  ASSERT_EQ(table.notes.size(), 1U);
}

TEST(counters, units_and_types) {
  event::Batch batch;
  CounterValue real;
  real.type = CounterType::real;
  real.real = 0.25;
  CounterValue text_value;
  text_value.type = CounterType::string;
  text_value.text = "server";
  CounterDef own = def(0x8000, "Own", CounterType::uint64, CounterUnit::raw);
  own.section_name = "My Section";
  Stream(batch, kHelper)
      .add(0, 1, def(0x4000, "User Time", CounterType::int64, CounterUnit::time))
      .add(0, 2, def(0x200, "Pause", CounterType::interval, CounterUnit::raw))
      .add(0, 3, def(0x2000, "Load", CounterType::real, CounterUnit::percentage))
      .add(0, 4, own)
      .add(0, 5, def(0x77, "Mode", CounterType::string, CounterUnit::raw))
      .add(1, 1, whole(CounterType::int64, 600000))
      .add(1, 2, whole(CounterType::interval, 1500))
      .add(1, 3, real)
      .add(1, 4, whole(CounterType::uint64, 1))
      .add(2, 4, whole(CounterType::uint64, -1))
      .add(2, 5, text_value);
  Asked asked(analysis::make_counters({}));
  const Table table = asked.feed(batch).finish().table("counters");
  ASSERT_EQ(table.rows.size(), 5U);
  EXPECT_DOUBLE_EQ(std::get<double>(cell(table, 0, "last")), 60.0);  // ms
  EXPECT_DOUBLE_EQ(std::get<double>(cell(table, 1, "last")), 1.5);   // ms
  EXPECT_DOUBLE_EQ(std::get<double>(cell(table, 2, "last")), 0.25);
  EXPECT_EQ(text(table, 2, "unit"), "ratio");
  EXPECT_EQ(text(table, 3, "section"), "My Section");
  EXPECT_EQ(number(table, 3, "most"), ~std::uint64_t{0});
  EXPECT_EQ(number(table, 3, "least"), 1U);
  EXPECT_EQ(text(table, 4, "section"), "section 0x77");
  EXPECT_EQ(text(table, 4, "last"), "server");
}

TEST(counters, values_before_their_definition) {
  event::Batch batch;
  Stream(batch, kHelper)
      .add(0, 9, whole(CounterType::uint32, 3))
      .add(0, 8, whole(CounterType::uint32, 4))
      .add(1, 9, def(0x200, "Late", CounterType::uint32, CounterUnit::count));
  const Table table = Asked(analysis::make_counters({})).feed(batch).finish().table("counters");
  EXPECT_EQ(text(table, 0, "name"), "Late");
  EXPECT_EQ(text(table, 1, "name"), "counter 8");
}

}  // namespace
}  // namespace polytrace::test
