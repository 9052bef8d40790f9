// SPDX-License-Identifier: Apache-2.0
// A heap that grows is suspected, by the size of all of it.
#include "analysis/memory/leak.hpp"

#include <gtest/gtest.h>

namespace polytrace::analysis {
namespace {

event::HeapSize sized(std::uint64_t used, std::string_view generation = {}) {
  event::HeapSize size;
  size.total = used + 1000;
  size.used = used;
  size.generation = generation;
  return size;
}

// Of twenty collections, each told with its generations, which go up and down.
HeapTrend trend_of(std::uint64_t step) {
  HeapTrend trend;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto time = static_cast<base::Time>(10 * i);
    trend.add(time, sized(1000 + step * i));
    trend.add(time + 1, sized(i % 2 == 0 ? 700 : 20, "gen0"));
    trend.add(time + 2, sized(0, "gen1"));
  }
  trend.finish();
  return trend;
}

TEST(heap_trend, parts_of_the_heap_are_not_its_size) {
  const auto growth = trend_of(100).growth();
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->from, 1500U);  // without the first quarter
  EXPECT_EQ(growth->to, 2900U);
  EXPECT_EQ(growth->steps, 14U);
  EXPECT_EQ(growth->larger, 14U);
  EXPECT_EQ(find_leak({}, {}, trend_of(100), Names{}).size(), 1U);
  EXPECT_TRUE(find_leak({}, {}, trend_of(0), Names{}).empty());
}

}  // namespace
}  // namespace polytrace::analysis
