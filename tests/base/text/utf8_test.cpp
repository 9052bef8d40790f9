// SPDX-License-Identifier: Apache-2.0
#include "base/text/utf8.hpp"

#include <gtest/gtest.h>

namespace polytrace::base {
namespace {

struct Case {
  std::string_view text;
  unsigned bytes;
  bool well_formed;
  char32_t code;
};
// Table 3-8 of the Unicode standard, and the ends of each row of its table 3-7.
constexpr Case kCases[] = {
    {"a", 1, true, 'a'},
    {"\xc2\x80", 2, true, 0x80},
    {"\xdf\xbf", 2, true, 0x7ff},
    {"\xe0\xa0\x80", 3, true, 0x800},
    {"\xed\x9f\xbf", 3, true, 0xd7ff},
    {"\xee\x80\x80", 3, true, 0xe000},
    {"\xf0\x90\x80\x80", 4, true, 0x10000},
    {"\xf4\x8f\xbf\xbf", 4, true, 0x10ffff},
    {"\xc1\xbf", 1, false, 0},
    {"\xe0\x9f\xbf", 1, false, 0},
    {"\xed\xa0\x80", 1, false, 0},
    {"\xf0\x8f\xbf\xbf", 1, false, 0},
    {"\xf4\x90\x80\x80", 1, false, 0},
    {"\xf5\x80\x80\x80", 1, false, 0},
    {"\x80", 1, false, 0},
    {"\xc2", 1, false, 0},
    {"\xe1\x80\xe2", 2, false, 0},
    {"\xf1\x80\x80", 3, false, 0},
    {"\xf1\x80\x80\x41", 3, false, 0},
};

TEST(utf8, parts_are_those_of_the_standard) {
  for (const Case& one : kCases) {
    const Utf8Part part = first_part(one.text);
    EXPECT_EQ(part.bytes, one.bytes) << testing::PrintToString(one.text);
    EXPECT_EQ(part.well_formed, one.well_formed) << testing::PrintToString(one.text);
    const Character first = first_character(one.text);
    EXPECT_EQ(first.bytes, one.well_formed ? one.bytes : 0) << testing::PrintToString(one.text);
    EXPECT_EQ(first.code, one.code) << testing::PrintToString(one.text);
  }
}

}  // namespace
}  // namespace polytrace::base
