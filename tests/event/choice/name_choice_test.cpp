// SPDX-License-Identifier: Apache-2.0
#include "event/choice/name_choice.hpp"
#include "base/codes.hpp"

#include <gtest/gtest.h>

namespace polytrace::event {
namespace {

TEST(name_choice, without_a_word_every_name_counts) {
  EXPECT_TRUE(NameChoice().is_any());
  EXPECT_TRUE(NameChoice().has("Shop"));
  EXPECT_TRUE(NameChoice("").has(""));
  EXPECT_TRUE(NameChoice::fitting("")->is_any());
}

TEST(name_choice, a_text_is_found_as_it_stands) {
  const NameChoice choice("Shop.*");
  EXPECT_TRUE(choice.has("Acme.Shop.*"));
  EXPECT_FALSE(choice.has("Acme.Shop.Main"));
  EXPECT_FALSE(choice.is_pattern());
}

TEST(name_choice, an_expression_fits_anywhere_unless_it_says_where) {
  const auto choice = NameChoice::fitting("^Acme\\.(Shop|Till)[:.]+(Main|Pay) ");
  ASSERT_TRUE(choice);
  EXPECT_TRUE(choice->is_pattern());
  EXPECT_TRUE(choice->has("Acme.Shop::Main (int)"));
  EXPECT_TRUE(choice->has("Acme.Till.Pay ()"));
  EXPECT_FALSE(choice->has("X.Acme.Till.Pay ()"));
  EXPECT_TRUE(NameChoice::fitting("ay$")->has("Acme.Till.Pay"));
}

TEST(name_choice, any_bytes_and_any_length_are_names) {
  const auto choice = NameChoice::fitting("(a|b)*c$");
  ASSERT_TRUE(choice);
  std::string name(std::size_t{1} << 20, 'a');
  EXPECT_FALSE(choice->has(name));
  EXPECT_TRUE(choice->has(name += 'c'));
  EXPECT_TRUE(
      NameChoice::fitting("b$")->has(std::string_view("a\0\xff"
                                                      "b",
                                                      4)));
  EXPECT_TRUE(NameChoice::fitting("^a$")->has(std::string_view("abc", 1)));
}

TEST(name_choice, what_is_no_expression_is_said) {
  for (const char* wrong : {"(", "[a", "a{2,1}", "*\\"}) {
    const auto choice = NameChoice::fitting(wrong);
    ASSERT_FALSE(choice) << wrong;
    EXPECT_EQ(choice.error().code, base::Code::usage);
    EXPECT_NE(choice.error().detail.find(wrong), std::string::npos);
  }
}

}  // namespace
}  // namespace polytrace::event
