// SPDX-License-Identifier: Apache-2.0
// Single values, to the ends of their ranges.
#include "format/tptp/xml/values.hpp"

#include <gtest/gtest.h>

#include <random>

namespace polytrace::format::tptp {
namespace {

std::string time_text(std::int64_t time) {
  std::string text;
  append_time(text, time);
  return text;
}

void expect_time(std::string_view text, std::int64_t value, Reading reading = Reading::fine) {
  const Number number = read_time(text);
  EXPECT_EQ(number.value, value) << text;
  EXPECT_EQ(number.reading, reading) << text;
}

TEST(trcxml_values, time_is_read_by_its_digits) {
  expect_time("1185890426.304424453", 1185890426304424453);
  expect_time("1185890426", 1185890426000000000);
  expect_time("1.", 1000000000);
  expect_time(".000000001", 1);
  expect_time("0.0000000019", 1);
  expect_time("-0.5", -500000000);
  expect_time("+1.25", 1250000000);
  expect_time("9223372036.854775807", INT64_MAX);
  expect_time("-9223372036.854775808", INT64_MIN);
}

TEST(trcxml_values, time_out_of_range_is_clamped) {
  expect_time("9223372036.854775808", INT64_MAX, Reading::clamped);
  expect_time("-9223372036.854775809", INT64_MIN, Reading::clamped);
  expect_time("99999999999999999999999", INT64_MAX, Reading::clamped);
}

TEST(trcxml_values, what_is_no_time_is_unreadable) {
  for (const char* text : {"", ".", "-", "1e9", "1.5s", "1,5", "0x10", " 1", "1.2.3", "--1"})
    expect_time(text, 0, Reading::unreadable);
}

TEST(trcxml_values, every_time_comes_back) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto time = static_cast<std::int64_t>(engine()) >> (engine() % 64);
    expect_time(time_text(time), time);
  }
  EXPECT_EQ(time_text(1185890426304424453), "1185890426.304424453");
  EXPECT_EQ(time_text(0), "0.000000000");
  EXPECT_EQ(time_text(-1), "-0.000000001");
  EXPECT_EQ(time_text(INT64_MIN), "-9223372036.854775808");
}

Number number(Type type, Meaning meaning, std::string_view text) {
  AttributeInfo attribute;
  attribute.type = type;
  attribute.meaning = meaning;
  return read_number(attribute, text);
}

TEST(trcxml_values, number_is_cut_to_its_type) {
  EXPECT_EQ(number(Type::i32, Meaning::plain, "-480").value, -480);
  EXPECT_EQ(number(Type::i32, Meaning::plain, "2147483648").value, INT32_MAX);
  EXPECT_EQ(number(Type::i32, Meaning::plain, "2147483648").reading, Reading::clamped);
  EXPECT_EQ(number(Type::i8, Meaning::plain, "-129").value, -128);
  EXPECT_EQ(number(Type::i64, Meaning::plain, "99999999999999999999").value, INT64_MAX);
  EXPECT_EQ(number(Type::i64, Meaning::plain, "1x").reading, Reading::unreadable);
}

TEST(trcxml_values, flag_is_a_word_or_a_digit) {
  EXPECT_EQ(number(Type::i8, Meaning::flag, "true").value, 1);
  EXPECT_EQ(number(Type::i8, Meaning::flag, "1").value, 1);
  EXPECT_EQ(number(Type::i8, Meaning::flag, "false").value, 0);
  EXPECT_EQ(number(Type::i8, Meaning::flag, "TRUE").reading, Reading::unreadable);
}

TEST(trcxml_values, id_above_the_signed_range_is_bits_or_text) {
  EXPECT_EQ(number(Type::i64, Meaning::thread, "0xffffffffffffffff").value, -1);
  EXPECT_EQ(number(Type::i64, Meaning::thread, "9223372036854775807").value, INT64_MAX);
  EXPECT_EQ(number(Type::i64, Meaning::thread, "9223372036854775808").reading, Reading::named);
}

TEST(trcxml_values, named_id_is_high_and_one_per_text_and_kind) {
  const Number main = number(Type::i64, Meaning::thread, "main");
  EXPECT_EQ(main.reading, Reading::named);
  EXPECT_GE(main.value, std::int64_t{1} << 62);
  EXPECT_EQ(number(Type::i64, Meaning::thread, "main").value, main.value);
  EXPECT_NE(number(Type::i64, Meaning::thread, "mian").value, main.value);
  EXPECT_NE(number(Type::i64, Meaning::class_id, "main").value, main.value);
}

TEST(trcxml_values, text_is_escaped_as_its_place_needs) {
  constexpr std::string_view kText = "<a & \"b\" 'c'>\t\n\r";
  std::string attribute;
  std::string content;
  EXPECT_EQ(append_attribute_text(attribute, kText), 0U);
  EXPECT_EQ(append_content(content, kText), 0U);
  EXPECT_EQ(attribute, "&lt;a &amp; &quot;b&quot; &apos;c&apos;&gt;&#9;&#10;&#13;");
  EXPECT_EQ(content, "&lt;a &amp; \"b\" 'c'&gt;\t\n&#13;");
}

TEST(trcxml_values, characters_that_xml_forbids_are_replaced_and_counted) {
  std::string text;
  EXPECT_EQ(append_content(text, "a\x01z\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\xc3\xa4"), 3U);
  EXPECT_EQ(text, "a\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa4");
}

}  // namespace
}  // namespace polytrace::format::tptp
