// SPDX-License-Identifier: Apache-2.0
// Messages of every kind with random values: XML gives them back as they were, and TBF -> XML ->
// TBF gives the same bytes.
#include <gtest/gtest.h>

#include "base/codes.hpp"
#include "format/random_messages.hpp"
#include "format/tptp/message_conversion.hpp"
#include "format/tptp/tbf/messages.hpp"
#include "format/trcxml_messages.hpp"

namespace polytrace::format::test {
namespace {

using tptp::ByteOrder;
using tptp::Message;
using tptp::MessageInfo;
using tptp::Spelling;

TEST(trcxml_round_trip, every_message_comes_back_from_xml) {
  EXPECT_EQ(random_kinds().size(), 6U);
  RandomMessages random(1);
  for (int i = 0; i < 300; ++i) {
    for (const MessageInfo* info : tptp::all_messages()) {
      const Message& message = random.next(*info);
      std::string xml;
      EXPECT_EQ(tptp::append_element(xml, message), 0U);
      const Messages read = messages_of("<TRACE>\n" + xml + "</TRACE>\n");
      ASSERT_EQ(read.lines, std::vector<std::string>{tptp::to_text(message)}) << xml;
      ASSERT_EQ(read.document, xml);
      ASSERT_TRUE(read.notices.empty()) << xml;
    }
  }
}

std::vector<std::byte> random_stream(ByteOrder order, std::uint64_t seed) {
  EXPECT_EQ(random_kinds().size(), 6U);
  RandomMessages random(seed);
  base::Appender out;
  tptp::MessageEncoder encoder(order);
  encoder.begin(out, 1);
  for (int i = 0; i < 100; ++i) {
    for (const MessageInfo* info : tptp::all_messages()) encoder.append(out, random.next(*info));
  }
  const auto bytes = out.view();
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> converted(const std::vector<std::byte>& bytes, Spelling target,
                                 ByteOrder order = ByteOrder::little) {
  std::vector<std::byte> to;
  const auto done = tptp::convert_messages(base::memory_source(bytes), base::memory_sink(to),
                                           target, {.order = order});
  EXPECT_TRUE(done) << base::to_text(done.error());
  if (done) {
    EXPECT_EQ(done->loss.total(), 0U);
    EXPECT_EQ(done->notices.exit_code(), 0);
    EXPECT_EQ(done->notices.bytes_lost(), 0U);
  }
  return to;
}

TEST(trcxml_round_trip, tbf_to_xml_to_tbf_gives_the_same_bytes) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const auto tbf = random_stream(order, 2);
    const auto xml = converted(tbf, Spelling::xml);
    EXPECT_TRUE(converted(xml, Spelling::tbf, order) == tbf);
    EXPECT_TRUE(converted(xml, Spelling::xml) == xml);
    EXPECT_TRUE(converted(tbf, Spelling::tbf, order) == tbf);
  }
}

TEST(trcxml_round_trip, xml_is_stable_after_one_pass) {
  constexpr std::string_view kForeign =
      "<traceRoot><gcStart\n\ttime='1'   traceIdRef=''></gcStart><classDef name='a/b' "
      "classId='0x10'/>"
      "<monWait stackDepth='9'><annotation line='1' value='&#65;'/></monWait>"
      "<custom>a<b>c</b></custom>\n<throw  x = 'y'>\r\n<z/></throw><methodExit classIdRef='5'/>"
      "</traceRoot>";
  const auto once = converted(converted(bytes_of(kForeign), Spelling::tbf), Spelling::xml);
  const auto twice = converted(converted(once, Spelling::tbf), Spelling::xml);
  EXPECT_TRUE(once == twice);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(once.data()), once.size()),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<TRACE>\n"
            "<gcStart time=\"1.000000000\"/>\n"
            "<classDef time=\"0.000000000\" classId=\"16\" sourceName=\"\" name=\"a.b\"/>\n"
            "<monWait threadIdRef=\"0\" time=\"0.000000000\" objIdRef=\"0\" timeout=\"0\" "
            "stackDepth=\"1\"><annotation name=\"stackFrame\" value=\"A\" line=\"1\"/></monWait>\n"
            "<custom>ac</custom>\n"
            "<throw  x = 'y'>\r\n<z/></throw>\n"
            "<methodExit threadIdRef=\"0\" time=\"0.000000000\" ticket=\"0\" "
            "threadCpuTime=\"0.000000000\" methodIdRef=\"0\" classIdRef=\"5\"/>\n"
            "</TRACE>\n");
}

TEST(trcxml_round_trip, what_is_lost_on_the_way_is_told) {
  std::vector<std::byte> to;
  const auto to_tbf = tptp::convert_messages(
      base::memory_source(bytes_of("<methodEntry objIdRef='1'/><methodEntry objIdRef='2'/>")),
      base::memory_sink(to), Spelling::tbf);
  ASSERT_TRUE(to_tbf);
  EXPECT_EQ(to_tbf->messages, 2U);
  EXPECT_EQ(to_tbf->loss.fields.at("methodEntry.objIdRef"), 2U);

  Message note;
  note.reset(*tptp::find_element("custom"));
  note.set_text(tptp::field::Custom::body, "bell \x07");
  base::Appender out;
  tptp::MessageEncoder encoder(ByteOrder::little);
  encoder.begin(out, 1);
  encoder.append(out, note);
  const auto bytes = out.view();
  const auto to_xml = tptp::convert_messages(base::memory_source({bytes.begin(), bytes.end()}),
                                             base::memory_sink(to), Spelling::xml);
  ASSERT_TRUE(to_xml);
  EXPECT_EQ(to_xml->loss.fields.at("text.characters"), 1U);
}

TEST(trcxml_round_trip, what_is_of_neither_format_is_refused) {
  std::vector<std::byte> to;
  const auto done = tptp::convert_messages(base::memory_source(bytes_of("neither")),
                                           base::memory_sink(to), Spelling::tbf);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, base::Code::not_recognised);
  EXPECT_TRUE(to.empty());
}

}  // namespace
}  // namespace polytrace::format::test
