// SPDX-License-Identifier: Apache-2.0
#include "base/text/figure_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace polytrace::base {
namespace {

TEST(figure_text, rounds_to_three_digits) {
  const auto ns = [](std::uint64_t value) { return duration_text(value); };
  EXPECT_EQ(ns(0), "0 ns");
  EXPECT_EQ(ns(999), "999 ns");
  EXPECT_EQ(ns(4120), "4.12 \xc2\xb5s");
  EXPECT_EQ(ns(27'345'678), "27.3 ms");
  EXPECT_EQ(ns(999'700'000), "1.00 s");
  EXPECT_EQ(ns(123'400'000'000), "2 min 03.4 s");
  EXPECT_EQ(ns(3'720'000'000'000), "1 h 02 min");
  EXPECT_EQ(duration_text(std::int64_t{-4120}), "-4.12 \xc2\xb5s");
  EXPECT_EQ(bytes_text(1023), "1,023 B");
  EXPECT_EQ(bytes_text(4300), "4.20 KiB");
  EXPECT_EQ(bytes_text(300'000'000), "286 MiB");
  EXPECT_EQ(bytes_text(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(figure_text, separates_thousands) {
  EXPECT_EQ(count_text(std::uint64_t{999}), "999");
  EXPECT_EQ(count_text(std::uint64_t{1000}), "1,000");
  EXPECT_EQ(count_text(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
  EXPECT_EQ(count_text(1, "call", "calls"), "1 call");
  EXPECT_EQ(count_text(77'412'001, "call", "calls"), "77,412,001 calls");
}

}  // namespace
}  // namespace polytrace::base
