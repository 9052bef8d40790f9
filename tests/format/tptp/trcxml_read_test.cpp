// SPDX-License-Identifier: Apache-2.0
// What the case files cannot say: lines and columns, encodings, zip, limits, hostile input.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/io/appender.hpp"
#include "format/format.hpp"
#include "format/trcxml_messages.hpp"
#include "format/whole.hpp"

namespace polytrace::format::test {
namespace {

using Lines = std::vector<std::string>;

void expect_place(std::string_view text, std::string_view code, std::uint64_t offset,
                  std::uint32_t line, std::uint32_t column) {
  const Messages messages = messages_of(text);
  const base::Notice* notice = messages.notices.find(base::find_code(code)->code);
  ASSERT_NE(notice, nullptr) << text;
  EXPECT_EQ(notice->first.offset, offset) << text;
  EXPECT_EQ(notice->first.line, line) << text;
  EXPECT_EQ(notice->first.column, column) << text;
}

TEST(trcxml_read, notices_have_line_and_column) {
  expect_place("<T>\n\n <gcStart x='1'/></T>", "xml-unknown", 6, 3, 2);
  expect_place("<T>\n<gcStart time='x'/></T>", "value-unreadable", 4, 2, 1);
  expect_place("<T>\n<gcStart time='1' time='1'/></T>", "xml-malformed", 4, 2, 1);
  expect_place("<T>\n<gcStart time=\n'1<'/></T>", "xml-malformed", 4, 2, 1);
  expect_place("<T>\n<gcStart time='1'/> x</T>", "xml-unknown", 24, 2, 21);
  expect_place("<T>\n<gcStart time='1'/>\n", "frame-truncated", 24, 3, 1);
  expect_place("<T>\n<gcStart time='1'/>\n  <gcSta", "frame-truncated", 26, 3, 3);
  expect_place("<T>\n<monWait>\n <other/></monWait></T>", "xml-unknown", 15, 3, 2);
  expect_place("<T>\n<threadEnd threadIdRef='x'/></T>", "id-named", 4, 2, 1);
}

TEST(trcxml_read, element_that_lost_its_first_byte_is_lost) {
  const std::string text = "<T><gcStart time='1'/>gcFinish time='2'/><gcStart time='3'/></T>";
  const Messages messages = messages_of(text);
  EXPECT_EQ(messages.lines, (Lines{"gcStart time=1000000000", "gcStart time=3000000000"}));
  EXPECT_EQ(messages.notices.exit_code(), 4);
  EXPECT_EQ(messages.notices.bytes_lost(), std::string_view("gcFinish time='2'/>").size());
}

TEST(trcxml_read, places_go_on_over_chunks) {
  std::string text = "<T>\n";
  while (text.size() < 2'000'000) text += "<gcStart time='1'/>\n";
  const std::size_t offset = text.size();
  const auto line = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  expect_place(text + "<gcStart time='x'/></T>", "value-unreadable", offset, line, 1);
}

TEST(trcxml_read, time_goes_on_over_chunks) {
  std::string text = "<gcStart time='7'/>\n";
  while (text.size() < 1'200'000) text += "<objRef srcIdRef='1' tarIdRef='2'/>\n";
  const Whole whole = read_whole(bytes_of(text));
  ASSERT_GT(whole.lines.size(), 30'000U);
  EXPECT_TRUE(whole.lines.back().starts_with("7000000000 ")) << whole.lines.back();
}

TEST(trcxml_read, elements_are_carried_only_when_wanted) {
  const auto read = [](bool carry) {
    return messages_of(base::memory_source(bytes_of("<T><throw/><gcStart/></T>")), {},
                       {.carry = carry});
  };
  EXPECT_EQ(read(true).lines, (Lines{"custom body=\"<throw/>\"", "gcStart"}));
  EXPECT_EQ(read(false).lines, (Lines{"gcStart"}));
  EXPECT_EQ(read(false).notices.bytes_lost(), 8U);
}

TEST(trcxml_read, losses_are_told_by_name) {
  const Messages messages = messages_of(
      "<methodEntry objIdRef='1' objIdRefs='2'/><methodEntry transientClassIdRef='1'/>"
      "<methodDef visibility='x' CpuOverhead='1'/><methodExit><value/></methodExit>");
  EXPECT_EQ(messages.losses,
            (Lines{"methodEntry.objIdRef", "methodEntry.transientClassIdRef",
                   "methodDef.visibility", "methodDef.CpuOverhead", "methodExit.value"}));
}

// --- encodings ---

std::string in_utf16(std::string_view ascii, bool little) {
  std::string text = little ? "\xff\xfe" : "\xfe\xff";
  for (const char c : ascii) {
    if (!little) text += '\0';
    text += c;
    if (little) text += '\0';
  }
  return text;
}

TEST(trcxml_read, encoding_is_that_of_the_mark_or_the_declaration) {
  constexpr std::string_view kLatin1 =
      "<?xml version='1.0' encoding=\"ISO-8859-1\"?><T><option key='\xe4' value=''/></T>";
  constexpr std::string_view kKoi8 =
      "<?xml version='1.0' encoding='KOI8-R'?><T><option key='\xc1' value=''/></T>";
  EXPECT_EQ(messages_of(kLatin1).lines, (Lines{"option key=\"\xc3\xa4\""}));
  EXPECT_EQ(messages_of(kKoi8).lines, (Lines{"option key=\"\xd0\xb0\""}));
  constexpr std::string_view kPlain =
      "<?xml version='1.0' encoding='UTF-16'?><T><option key='k' value='v'/></T>";
  for (const bool little : {true, false}) {
    const Messages messages = messages_of(in_utf16(kPlain, little));
    EXPECT_EQ(messages.lines, (Lines{"option key=\"k\" value=\"v\""}));
    EXPECT_TRUE(messages.notices.empty());
  }
}

TEST(trcxml_read, utf32_is_read_and_not_taken_for_utf16) {
  constexpr std::string_view kPlain =
      "<?xml version='1.0' encoding='UTF-32'?><T><option key='k' value='v'/></T>";
  for (const bool little : {true, false}) {
    for (const bool marked : {true, false}) {
      std::string text;
      const auto append = [&](std::string_view last) {
        text += little ? "" : std::string(4 - last.size(), '\0');
        text += last;
        text += little ? std::string(4 - last.size(), '\0') : "";
      };
      if (marked) append(little ? "\xff\xfe" : "\xfe\xff");
      for (const char& c : kPlain) append({&c, 1});
      EXPECT_TRUE(tptp::kTrcxmlFormat.recognise(bytes_of(text)));
      const Messages messages = messages_of(text);
      EXPECT_EQ(messages.lines, (Lines{"option key=\"k\" value=\"v\""}));
      EXPECT_TRUE(messages.notices.empty());
    }
  }
}

TEST(trcxml_read, iso_2022_jp_is_read) {
  const Messages messages = messages_of(
      "<?xml version='1.0' encoding='ISO-2022-JP'?>"
      "<T><option key='\x1b$B$\"\x1b(B' value=''/></T>");
  EXPECT_EQ(messages.lines, (Lines{"option key=\"\xe3\x81\x82\""}));
  EXPECT_TRUE(messages.notices.empty());
}

void expect_other(std::string_view text) {
  const auto opened = format::open(base::memory_source(bytes_of(text)), {});
  ASSERT_FALSE(opened) << text;
  EXPECT_EQ(opened.error().code, base::Code::not_recognised);
}

TEST(trcxml_read, pages_and_pictures_are_no_traces) {
  expect_other("<html><head/></html>");
  expect_other("<!DOCTYPE html>\n<html><head/></html>");
  expect_other("<!doctype HTML PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN'><HTML><head/></HTML>");
  expect_other("<?xml version='1.0'?>\n<!-- drawn -->\n<svg><rect/></svg>");
  expect_other("\xef\xbb\xbf<svg/>");
  expect_other(in_utf16("<?xml version='1.0'?><svg><rect/></svg>", true));
}

TEST(trcxml_read, bytes_that_the_encoding_does_not_know_cost_their_element) {
  std::string text = in_utf16("<T><option key='?'/><option key='k'/></T>", true);
  text[text.find('?') + 1] = '\xdc';  // half a pair of surrogates
  const Messages messages = messages_of(text);
  EXPECT_EQ(messages.lines, (Lines{"option key=\"k\""}));
  EXPECT_NE(messages.notices.find(base::Code::xml_malformed), nullptr);
}

// The length of UTF-8 text of the basic plane in another encoding.
std::size_t length_in(std::string_view encoding, std::string_view text) {
  const auto characters = static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned>(c) & 0xc0) != 0x80; }));
  if (encoding == "KOI8-R") return characters;
  return encoding == "UTF-16" ? 2 + 2 * characters : text.size();
}

std::string in_encoding(std::string_view encoding, std::string_view text) {
  if (encoding == "UTF-8") return std::string(text);
  std::string out = encoding == "UTF-16" ? "\xff\xfe" : "";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_a = text.substr(i, 2) == "\xd0\xb0";
    if (encoding == "UTF-16") out += is_a ? std::string("\x30\x04") : std::string{text[i], '\0'};
    else out += is_a ? '\xc1' : text[i];
    if (is_a) ++i;
  }
  return out;
}

// Twenty letters that are of another length in each encoding, everywhere in a document with faults.
std::string with_faults(std::string_view encoding) {
  std::string text = "<?xml version='1.0' encoding='" + std::string(encoding) + "'?>\n<T>";
  for (const char* part : {"<!-- @ -->", "<option key='@'/>", " @ between @ ",
                           "<option key='@' value=@/>", "<option key='@' x='@'/>", "< @ >", "<@>",
                           "@='@'/>", "<gcStart time='@'/>", "<option key='@"})
    for (const char c : std::string_view(part)) {
      if (c != '@') text += c;
      else
        for (int i = 0; i < 20; ++i) text += "\xd0\xb0";
    }
  return text;
}

TEST(trcxml_read, places_and_sizes_are_those_of_the_input) {
  const std::string plain = with_faults("UTF-8");
  const std::vector<base::Notice> expected = messages_of(plain).notices.sorted();
  ASSERT_GE(expected.size(), 4U);
  for (const std::string_view encoding : {"KOI8-R", "UTF-16"}) {
    const std::string text = with_faults(encoding);
    const auto place = [&](std::uint64_t offset) {
      const std::size_t longer = offset == 0 ? 0 : text.size() - plain.size();
      return length_in(encoding, std::string_view(text).substr(0, offset + longer));
    };
    const std::string input = in_encoding(encoding, text);
    const Messages messages = messages_of(input);
    const std::vector<base::Notice> got = messages.notices.sorted();
    ASSERT_EQ(got.size(), expected.size()) << encoding;
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].code, expected[i].code);
      EXPECT_EQ(got[i].first.offset, place(expected[i].first.offset)) << encoding << i;
      ASSERT_EQ(got[i].others.size(), expected[i].others.size());
      for (std::size_t j = 0; j < got[i].others.size(); ++j)
        EXPECT_EQ(got[i].others[j].place.offset, place(expected[i].others[j].place.offset));
    }
    const Whole whole = read_whole(bytes_of(input));
    EXPECT_EQ(whole.accounted(), input.size());
  }
}

// --- zip ---

std::string deflated(std::string_view text) {
  std::string packed(compressBound(text.size()), '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

enum class Packing { stored, deflated, sizes_behind };

// What ends a zip file: a directory of nothing.
constexpr std::string_view kZipEnd{"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0hi", 24};

std::string zip_entry(std::string_view text, Packing packing) {
  const std::string data = packing == Packing::stored ? std::string(text) : deflated(text);
  const bool behind = packing == Packing::sizes_behind;
  base::Appender out;
  const auto sum = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
  const auto sizes = [&](bool there) {
    out.fixed<std::uint32_t>(there ? sum : 0);
    out.fixed<std::uint32_t>(there ? static_cast<std::uint32_t>(data.size()) : 0);
    out.fixed<std::uint32_t>(there ? static_cast<std::uint32_t>(text.size()) : 0);
  };
  out.text("PK\x03\x04");
  out.fixed<std::uint16_t>(20);
  out.fixed<std::uint16_t>(behind ? 8 : 0);
  out.fixed<std::uint16_t>(packing == Packing::stored ? 0 : 8);
  out.fixed<std::uint32_t>(0);
  sizes(!behind);
  out.fixed<std::uint16_t>(1);
  out.fixed<std::uint16_t>(0);
  out.text("a");
  out.text(data);
  if (behind) {
    out.text("PK\x07\x08");
    sizes(true);
  }
  const auto bytes = out.view();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(trcxml_read, zip_entries_are_one_trace) {
  const std::string zip = zip_entry("<T><gcStart time='1'/></T>", Packing::deflated) +
                          zip_entry("<T><gcStart time='2'/></T>", Packing::stored) +
                          zip_entry("<gcStart time='3'/>", Packing::sizes_behind) +
                          zip_entry("<gcStart time='4'/>", Packing::deflated) + "PK\x01\x02" +
                          std::string(24, '\0') + std::string("\1\0\2\0\3\0", 6) +
                          std::string(12 + 6, '\0') + std::string(kZipEnd);
  EXPECT_TRUE(tptp::kTrcxmlFormat.recognise(bytes_of(zip)));
  for (const std::size_t step : {0U, 1U, 7U}) {
    const Messages messages = messages_of(base::memory_source(bytes_of(zip), step));
    EXPECT_EQ(messages.lines, (Lines{"gcStart time=1000000000", "gcStart time=2000000000",
                                     "gcStart time=3000000000", "gcStart time=4000000000"}));
    EXPECT_TRUE(messages.notices.empty());
  }
}

TEST(trcxml_read, bytes_behind_a_zip_file_are_told) {
  const std::string zip =
      zip_entry("<gcStart time='1'/>", Packing::deflated) + std::string(kZipEnd);
  for (const std::size_t step : {0U, 1U}) {
    const Messages messages = messages_of(base::memory_source(bytes_of(zip + "garbage"), step));
    EXPECT_EQ(messages.lines, (Lines{"gcStart time=1000000000"}));
    const base::Notice* notice = messages.notices.find(base::Code::trailing_bytes);
    ASSERT_NE(notice, nullptr);
    EXPECT_EQ(notice->first.offset, zip.size());
    EXPECT_EQ(notice->detail, "7 behind the zip file");
  }
  EXPECT_NE(
      messages_of(zip.substr(0, zip.size() - 1)).notices.find(base::Code::compressed_truncated),
      nullptr);
}

TEST(trcxml_read, zip_entries_that_are_no_traces_are_left_out) {
  const std::string other = zip_entry("hello", Packing::deflated);
  const std::string trace = zip_entry("<gcStart time='1'/>", Packing::stored);
  for (const std::string& zip : {other + trace, trace + other + other}) {
    const Messages messages = messages_of(zip + std::string(kZipEnd));
    EXPECT_EQ(messages.lines, (Lines{"gcStart time=1000000000"}));
    const base::Notice* notice = messages.notices.find(base::Code::xml_unknown);
    ASSERT_NE(notice, nullptr);
    EXPECT_EQ(notice->detail, "a zip entry: a");
    EXPECT_EQ(messages.notices.exit_code(), 0);
  }
  expect_other(other + std::string(kZipEnd));
  expect_other(zip_entry("", Packing::stored) + std::string(kZipEnd));
}

TEST(trcxml_read, cut_or_damaged_zip_gives_its_complete_elements) {
  std::string zip = zip_entry("<T><gcStart time='1'/></T>", Packing::stored);
  const Messages cut = messages_of(zip.substr(0, zip.size() - 2));
  EXPECT_EQ(cut.lines.size(), 1U);
  EXPECT_NE(cut.notices.find(base::Code::compressed_truncated), nullptr);
  EXPECT_NE(cut.notices.find(base::Code::frame_truncated), nullptr);
  zip[zip.find('1')] = '7';
  EXPECT_NE(messages_of(zip).notices.find(base::Code::compressed_damaged), nullptr);
}

// --- limits and hostile input ---

TEST(trcxml_read, element_beyond_the_limit_is_left_out) {
  base::Limits limits;
  limits.frame_bytes = 1000;
  const std::string text = "<T><custom>" + std::string(600'000, 'x') + "</custom><gcStart/></T>";
  const Messages messages = messages_of(base::memory_source(bytes_of(text)), limits);
  EXPECT_EQ(messages.lines, (Lines{"gcStart"}));
  EXPECT_NE(messages.notices.find(base::Code::xml_malformed), nullptr);
}

// Each of these makes a reader that starts over after every fault look at its input again and
// again: a hundred thousand times a megabyte.
TEST(trcxml_read, hostile_input_is_read_in_linear_time) {
  for (const std::string part :
       {"<gcStart <", "<gcStart time='", "<custom>", "<custom><!--", "<!--<gcStart/>", "<!DOCTYPE",
        "<![CDATA[<gcStart/>", "<gcStart a='1' a='2'/>", "<gcStart a='&b;'/>", "<?x<gcStart/>",
        "<T>", "</T>", "<1", "x<gcStart/>", "<throw>", "<gcStart>", "<monWait><annotation>"}) {
    std::string text = "<T>";
    while (text.size() < 1'000'000) text += part;
    const Whole whole = read_whole(bytes_of(text), {.text = false});
    EXPECT_EQ(whole.accounted(), text.size()) << part;
  }
}

}  // namespace
}  // namespace polytrace::format::test
