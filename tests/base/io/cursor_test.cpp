// SPDX-License-Identifier: Apache-2.0
#include "base/io/cursor.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/codes.hpp"
#include "base/io/appender.hpp"

namespace polytrace::base {
namespace {

constexpr std::uint64_t kOrigin = 1000;

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

void expect_fault(const Cursor& cursor, Code code, std::uint64_t offset) {
  ASSERT_FALSE(cursor.ok());
  EXPECT_EQ(cursor.fault_code(), code);
  EXPECT_EQ(cursor.fault_offset(), offset);
}

TEST(cursor, reads_little_endian_values_of_every_size) {
  const auto bytes =
      bytes_of({0x12, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12, 1, 2, 3, 4, 5, 6, 7, 0x80});
  Cursor cursor(bytes, kOrigin);
  EXPECT_EQ(cursor.byte(), 0x12);
  EXPECT_EQ(cursor.fixed<std::uint16_t>(), 0x1234);
  EXPECT_EQ(cursor.fixed<std::uint32_t>(), 0x12345678U);
  EXPECT_EQ(cursor.offset(), kOrigin + 7);
  EXPECT_EQ(cursor.left(), 8U);
  EXPECT_EQ(cursor.fixed<std::int64_t>(), static_cast<std::int64_t>(0x8007060504030201));
  EXPECT_TRUE(cursor.done());
  EXPECT_TRUE(cursor.ok());
}

TEST(cursor, fixed_value_past_the_end_is_a_fault_where_it_starts) {
  const auto bytes = bytes_of({1, 2, 3, 4});
  Cursor cursor(bytes, kOrigin);
  cursor.byte();
  EXPECT_EQ(cursor.fixed<std::uint32_t>(), 0U);
  expect_fault(cursor, Code::field_past_end, kOrigin + 1);
}

TEST(cursor, first_fault_is_kept_and_nothing_is_left) {
  const auto bytes = bytes_of({1, 2, 3});
  Cursor cursor(bytes, kOrigin);
  EXPECT_EQ(cursor.fixed<std::uint64_t>(), 0U);
  EXPECT_EQ(cursor.left(), 0U);
  EXPECT_EQ(cursor.byte(), 0);
  EXPECT_EQ(cursor.uleb(), 0U);
  EXPECT_EQ(cursor.sleb(), 0);
  EXPECT_EQ(cursor.zero_terminated(), "");
  EXPECT_TRUE(cursor.bytes(1).empty());
  cursor.fault(Code::value_unexpected);
  expect_fault(cursor, Code::field_past_end, kOrigin);
}

TEST(cursor, uleb_of_ten_bytes_holds_64_bits) {
  const auto bytes = bytes_of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01});
  Cursor cursor(bytes, 0);
  EXPECT_EQ(cursor.uleb(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(cursor.done());
}

TEST(cursor, uleb_drops_bits_above_63) {
  const auto bytes = bytes_of({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f});
  Cursor cursor(bytes, 0);
  EXPECT_EQ(cursor.uleb(), std::uint64_t{1} << 63);
}

TEST(cursor, leb_of_eleven_bytes_is_too_long) {
  const auto bytes =
      bytes_of({7, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00});
  Cursor cursor(bytes, kOrigin);
  cursor.byte();
  EXPECT_EQ(cursor.uleb(), 0U);
  expect_fault(cursor, Code::number_too_long, kOrigin + 1);
  Cursor signed_cursor(Bytes(bytes).subspan(1), kOrigin);
  signed_cursor.sleb();
  expect_fault(signed_cursor, Code::number_too_long, kOrigin);
}

TEST(cursor, leb_cut_off_is_past_the_end) {
  const auto bytes = bytes_of({0x80, 0x80});
  Cursor cursor(bytes, kOrigin);
  cursor.sleb();
  expect_fault(cursor, Code::field_past_end, kOrigin);
}

TEST(cursor, sleb_takes_the_sign_from_bit_6_of_the_last_byte) {
  const auto bytes = bytes_of({0x3f, 0x40, 0x7f, 0xff, 0x00, 0x80, 0x7f, 0xff, 0x7f});
  Cursor cursor(bytes, 0);
  for (const std::int64_t expected : {63, -64, -1, 127, -128, -1}) {
    EXPECT_EQ(cursor.sleb(), expected);
  }
  EXPECT_TRUE(cursor.done());
}

TEST(cursor, leb_round_trips_at_every_length) {
  Appender out;
  std::vector<std::uint64_t> values{0};
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    values.insert(values.end(), {power - 1, power, ~power, ~power + 1});
  }
  for (const std::uint64_t value : values) {
    out.uleb(value);
    out.sleb(static_cast<std::int64_t>(value));
  }
  Cursor cursor(out.view(), 0);
  for (const std::uint64_t value : values) {
    EXPECT_EQ(cursor.uleb(), value);
    EXPECT_EQ(cursor.sleb(), static_cast<std::int64_t>(value));
  }
  EXPECT_TRUE(cursor.ok() && cursor.done());
}

TEST(cursor, zero_terminated_text) {
  const auto bytes = bytes_of({'a', 'b', 0, 0, 'c'});
  Cursor cursor(bytes, kOrigin);
  EXPECT_EQ(cursor.zero_terminated(), "ab");
  EXPECT_EQ(cursor.zero_terminated(), "");
  EXPECT_EQ(cursor.zero_terminated(), "");  // no zero any more
  expect_fault(cursor, Code::field_past_end, kOrigin + 4);
}

TEST(cursor, counted_bytes) {
  const auto bytes = bytes_of({1, 2, 3});
  Cursor cursor(bytes, kOrigin);
  EXPECT_EQ(cursor.bytes(2).size(), 2U);
  EXPECT_TRUE(cursor.bytes(2).empty());
  expect_fault(cursor, Code::field_past_end, kOrigin + 2);
}

TEST(cursor, count_that_cannot_fit_is_a_fault) {
  const auto bytes = bytes_of({1, 2, 3, 4, 5});
  Cursor cursor(bytes, kOrigin);
  EXPECT_TRUE(cursor.fits(2, 2));
  EXPECT_TRUE(cursor.fits(5, 1));
  EXPECT_FALSE(cursor.fits(std::numeric_limits<std::uint64_t>::max(), 2));
  expect_fault(cursor, Code::count_too_large, kOrigin);
}

TEST(appender, zero_terminated_text_ends_at_its_first_zero) {
  Appender out;
  out.zero_terminated(std::string_view("ab\0cd", 5));
  EXPECT_EQ(out.size(), 3U);
  out.shrink(1);
  EXPECT_EQ(out.size(), 1U);
  out.clear();
  EXPECT_EQ(out.size(), 0U);
}

}  // namespace
}  // namespace polytrace::base
