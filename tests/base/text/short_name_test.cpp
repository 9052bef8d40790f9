// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "base/text/utf8.hpp"

namespace polytrace::base {
namespace {

TEST(short_name, leaves_what_fits) {
  EXPECT_EQ(short_name("a.B.method", 64), "a.B.method");
  EXPECT_EQ(short_name(std::string(64, 'x'), 64), std::string(64, 'x'));
}

TEST(short_name, keeps_the_end_and_what_differs) {
  const std::string head(1000, 'h'), tail = std::string(1000, 't') + ".method";
  const std::string one = short_name(head + "1" + tail, 100);
  const std::string other = short_name(head + "2" + tail, 100);
  EXPECT_NE(one, other);
  for (const std::string& name : {one, other}) {
    EXPECT_EQ(name.size(), 100U);
    EXPECT_TRUE(name.starts_with("hhh")) << name;
    EXPECT_TRUE(name.ends_with("ttt.method")) << name;
    EXPECT_NE(name.find("...#"), std::string::npos) << name;
  }
}

TEST(short_name, cuts_no_character_in_two) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string name(shift, 'x');
    for (int i = 0; i < 200; ++i) name += "\xf0\x9f\x98\x80";
    const std::string cut = short_name(name, 100);
    EXPECT_LE(cut.size(), 100U);
    EXPECT_EQ(repaired(cut), cut) << shift;
  }
  // What is no text at all ends as well.
  EXPECT_LE(short_name(std::string(1000, '\x80'), 100).size(), 100U);
}

}  // namespace
}  // namespace polytrace::base
