// SPDX-License-Identifier: Apache-2.0
// Elements that are read without the parser: which these are, and that the parser reads the same.
#include "format/tptp/xml/plain.hpp"

#include <gtest/gtest.h>

#include <random>

#include "format/trcxml_twins.hpp"

namespace polytrace::format::tptp {
namespace {

bool is_plain(std::string_view text) { return PlainElement().read(text, 0); }

TEST(trcxml_plain, gives_name_attributes_and_end) {
  constexpr std::string_view kText = "<gcStart time=\"1.5\"  a.b-c_d=\"x > 'y' = /> z\" />behind";
  PlainElement element;
  ASSERT_TRUE(element.read(kText, 0));
  EXPECT_EQ(element.name(), "gcStart");
  ASSERT_EQ(element.attributes().size(), 2U);
  EXPECT_EQ(element.attributes()[0].name, "time");
  EXPECT_EQ(element.attributes()[0].value, "1.5");
  EXPECT_EQ(element.attributes()[1].name, "a.b-c_d");
  EXPECT_EQ(element.attributes()[1].value, "x > 'y' = /> z");
  EXPECT_EQ(element.end(), kText.find("behind"));
}

TEST(trcxml_plain, names_and_blanks_may_stand_as_xml_has_them) {
  for (const std::string_view text : {"<a/>", "<a />", "<a\n\tb=\"\"\r\n/>", "<_a1 _b=\"\"/>"})
    EXPECT_TRUE(is_plain(text)) << text;
}

TEST(trcxml_plain, all_else_is_the_parsers) {
  for (const std::string_view text : {"<",
                                      "<a",
                                      "<a/",
                                      "<a b=\"1\"",
                                      "<a b=\"1",
                                      "<a></a>",
                                      "<a b='1'/>",
                                      "<a b = \"1\"/>",
                                      "<a b=\"&amp;\"/>",
                                      "<a b=\"<\"/>",
                                      "<a b=\"1\"c=\"2\"/>",
                                      "<a b=\"\t\"/>",
                                      "<a b=\"\n\"/>",
                                      "<a b=\"\xc3\xa9\"/>",
                                      "<\xc3\xa9/>",
                                      "<1a/>",
                                      "<a 1=\"\"/>",
                                      "<a b=\"1\" b=\"2\"/>",
                                      "<a / >",
                                      "<a b/>",
                                      "< a/>",
                                      "<!a/>",
                                      "<?a/>",
                                      "</a>",
                                      "<a:b/>"})
    EXPECT_FALSE(is_plain(text)) << text;
}

TEST(trcxml_plain, one_of_many_attributes_that_stands_twice_is_found) {
  std::string text = "<a";
  for (int i = 0; i < 30; ++i) text += fmt::format(" name{}=\"{}\"", i, i);
  EXPECT_TRUE(is_plain(text + "/>"));
  EXPECT_FALSE(is_plain(text + " name7=\"\"/>"));
  for (int i = 30; i < 40; ++i) text += fmt::format(" name{}=\"{}\"", i, i);
  EXPECT_FALSE(is_plain(text + "/>")) << "more than there is room for";
}

// What documents are made of, for the most part as writers make it.
constexpr std::array<std::string_view, 16> kParts = {
    R"(<methodEntry threadIdRef="1" time="1.00000001" methodIdRef="7" ticket="1" stackDepth="1"/>)",
    R"(<methodExit threadIdRef="1" methodIdRef="7" ticket="1" time="1.000000002" overhead="0.1"/>)",
    R"(<methodDef methodId="7" name="a" signature="()V" classIdRef="3" startLineNumber="1"/>)",
    R"(<classDef classId="3" name="java/lang/String" sourceName="S.java" time="0.5"/>)",
    R"(<objAlloc isArray="0" size="24" classIdRef="3" objId="9" threadIdRef="1" time="1.1"/>)",
    R"(<gcStart time='2'/>)",
    R"(<gcFinish time="2.5" unknown="x" objsGarbageCollected="&amp;"/>)",
    R"(<threadStart threadId="2" time="3" threadName="&quot;w&#246;rker&quot;"/>)",
    R"(<throw threadIdRef="2"><annotation name="stackFrame" value="a.b" line="3"/></throw>)",
    R"(<nothingKnown a="1"/>)",
    R"(<traceStart traceId="t" time="9.000000000000"></traceStart>)",
    R"(<methodCount methodIdRef="99999999999999999999" count="x"/>)",
    "<runtimeInitDone time=\"1\"/>\n<!-- a comment -->\n",
    R"(<methodEntry threadIdRef="1" threadIdRef="2" time="1"/>)",
    "</TRACE>\n<TRACE>\n",
    "\n",
};

std::string random_document(std::mt19937_64& engine) {
  std::string text = "<TRACE>\n";
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(engine() % most); };
  for (std::size_t parts = below(12) + 1; parts > 0; --parts) {
    // Mostly such that plain ones follow each other.
    const std::size_t part = below(3) != 0 ? below(5) : below(kParts.size());
    text += kParts[part];
    text += '\n';
  }
  text += "</TRACE>";
  constexpr std::string_view kBytes =
      "<>/='\"& \t\n\x01\xc3\xa9"
      "ab10.:-_!?[]";
  for (std::size_t wrong = below(4); wrong > 0; --wrong) {
    const std::size_t at = below(text.size());
    switch (below(3)) {
      case 0: text[at] = kBytes[below(kBytes.size())]; break;
      case 1: text.insert(at, 1, kBytes[below(kBytes.size())]); break;
      default: text.erase(at, 1 + below(3));
    }
  }
  return text;
}

TEST(trcxml_plain, the_parser_reads_the_same) {
  std::mt19937_64 engine(20070611);
  for (int i = 0; i < 5000; ++i) {
    const std::string text = random_document(engine);
    const auto bytes = test::bytes_of(text);
    ASSERT_EQ(test::reading_of(bytes, true), test::reading_of(bytes, false)) << text;
  }
}

}  // namespace
}  // namespace polytrace::format::tptp
