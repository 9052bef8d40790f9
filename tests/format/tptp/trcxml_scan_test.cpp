// SPDX-License-Identifier: Apache-2.0
// Where markup ends, and which can be told to be broken by its own bytes.
#include "format/tptp/xml/scan.hpp"

#include <gtest/gtest.h>

namespace polytrace::format::tptp {
namespace {

Markup whole(std::string_view text) {
  Scanner scanner;
  scanner.look_at(text, 0);
  return scanner.whole(0);
}

void expect_element(std::string_view element) {
  const Markup found = whole(std::string(element) + "<next");
  EXPECT_EQ(found.shape, Shape::element) << element;
  EXPECT_EQ(found.end, element.size()) << element;
}

TEST(trcxml_scan, element_ends_behind_its_end_tag) {
  expect_element("<gcStart/>");
  expect_element("<gcStart time='1'></gcStart>");
  expect_element("<a><b/><b></b></a>");
  expect_element("<a>text</a >");
}

TEST(trcxml_scan, ends_in_values_comments_and_text_do_not_count) {
  expect_element("<a b='/>' c=\"'>\"/>");
  expect_element("<a><!-- </a> --></a>");
  expect_element("<a><![CDATA[</a>]]></a>");
  expect_element("<a><?x </a> ?></a>");
}

TEST(trcxml_scan, every_beginning_of_an_element_is_incomplete) {
  constexpr std::string_view kElement = "<a b='>'><!-- x --><![CDATA[y]]><?z?><c d='/>'/>t</a>";
  for (std::size_t size = 1; size < kElement.size(); ++size)
    EXPECT_EQ(whole(kElement.substr(0, size)).shape, Shape::incomplete) << size;
  expect_element(kElement);
}

TEST(trcxml_scan, what_cannot_become_well_formed_is_broken) {
  for (const char* text : {"<a b='<'/>", "<a <b/>", "< a/>", "<1/>", "<a></b>", "<a><!x></a>",
                           "<a><!DOCTYPE a></a>", "<!-x>"})
    EXPECT_EQ(whole(text).shape, Shape::broken) << text;
}

TEST(trcxml_scan, events_do_not_stand_in_events_but_in_what_is_carried) {
  EXPECT_EQ(whole("<monWait><gcStart/></monWait>").shape, Shape::broken);
  expect_element("<custom><gcStart/></custom>");
  expect_element("<throw><gcStart/></throw>");
}

TEST(trcxml_scan, depth_has_a_limit) {
  std::string text;
  for (std::size_t i = 0; i < kMaxDepth; ++i) text += "<a>";
  EXPECT_EQ(whole(text).shape, Shape::incomplete);
  EXPECT_EQ(whole(text + "<a>").shape, Shape::broken);
}

TEST(trcxml_scan, document_type_ends_behind_its_subset) {
  constexpr std::string_view kDoctype =
      "<!DOCTYPE a SYSTEM \"x>y\" [ <!ELEMENT a EMPTY> <!-- ]> --> ]>";
  const Markup found = whole(kDoctype);
  EXPECT_EQ(found.shape, Shape::doctype);
  EXPECT_EQ(found.end, kDoctype.size());
}

// A search that found nothing is not made again, and what it missed is found when it comes.
TEST(trcxml_scan, missing_end_is_found_once_it_is_there) {
  std::string text = "<!-- ";
  Scanner scanner;
  for (int i = 0; i < 20; ++i) {
    text += "-x";
    scanner.look_at(text, 0);
    EXPECT_EQ(scanner.markup(0).shape, Shape::incomplete);
  }
  text += "-";
  scanner.look_at(text, 0);
  EXPECT_EQ(scanner.markup(0).shape, Shape::incomplete);
  text += "->";
  scanner.look_at(text, 0);
  EXPECT_EQ(scanner.markup(0).shape, Shape::aside);
}

}  // namespace
}  // namespace polytrace::format::tptp
