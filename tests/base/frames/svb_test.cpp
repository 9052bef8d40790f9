// SPDX-License-Identifier: Apache-2.0
#include "base/frames/svb.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/codes.hpp"

namespace polytrace::base {
namespace {

using Numbers = std::vector<std::uint64_t>;

Bytes view(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string column_of(const Numbers& numbers) {
  std::string out;
  append_svb(numbers, out);
  return out;
}

// Of every length in bytes, alike often.
Numbers random_numbers(std::size_t count, unsigned most_bits, unsigned seed) {
  std::mt19937_64 random(seed);
  Numbers numbers(count);
  for (std::uint64_t& number : numbers) number = random() >> (64 - 1 - random() % most_bits);
  return numbers;
}

void expect_same(const Numbers& numbers) {
  const std::string column = column_of(numbers);
  // Exactly as long as it is: nothing behind it may be touched.
  const std::vector<std::byte> exact(view(column).begin(), view(column).end());
  Bytes bytes(exact);
  Numbers read{1, 2, 3};
  const auto done = read_svb(bytes, read);
  ASSERT_TRUE(done.has_value()) << to_text(done.error());
  EXPECT_TRUE(bytes.empty());
  ASSERT_EQ(read, numbers);
}

TEST(svb, every_count_up_to_a_hundred_comes_back) {
  for (std::size_t count = 0; count <= 100; ++count)
    expect_same(random_numbers(count, 32, static_cast<unsigned>(count)));
}

TEST(svb, numbers_at_the_edges_of_each_length_come_back) {
  Numbers numbers;
  for (unsigned bits = 0; bits < 64; ++bits)
    for (unsigned more = 0; more < 3; ++more)
      numbers.push_back((std::uint64_t{1} << bits) + more - 1);
  for (const std::uint64_t number : {0xffff'fffdU, 0xffff'fffeU, 0xffff'ffffU})
    numbers.push_back(number);
  numbers.push_back(~std::uint64_t{0});
  expect_same(numbers);
  std::ranges::reverse(numbers);
  expect_same(numbers);
}

TEST(svb, large_columns_come_back_compressed_or_not) {
  expect_same(random_numbers(70'000, 64, 1));
  expect_same(random_numbers(70'000, 8, 2));
  expect_same(Numbers(70'000, 77));
}

TEST(svb, what_repeats_is_stored_compressed_and_what_does_not_as_it_is) {
  const std::string alike = column_of(Numbers(10'000, 77));
  EXPECT_LT(alike.size(), 200U);
  EXPECT_EQ(alike[4], 1);
  std::mt19937_64 random(3);
  Numbers numbers(1000);
  for (std::uint64_t& number : numbers) number = random() >> (32 + 8 * (random() % 4));
  const std::string plain = column_of(numbers);
  std::size_t bytes = 0;
  for (const std::uint64_t number : numbers)
    bytes += (std::max<std::size_t>(1, std::bit_width(number)) + 7) / 8;
  // The head of 13 bytes, 2 bits a number, and the numbers.
  EXPECT_EQ(plain.size(), 13 + 250 + bytes);
  EXPECT_EQ(plain[4], 0);
}

TEST(svb, one_column_is_taken_off_after_the_other) {
  const Numbers first = random_numbers(33, 40, 4);
  const Numbers second = random_numbers(2000, 10, 5);
  const std::string both = column_of(first) + column_of(second);
  Bytes bytes = view(both);
  Numbers read;
  ASSERT_TRUE(read_svb(bytes, read));
  EXPECT_EQ(read, first);
  ASSERT_TRUE(read_svb(bytes, read));
  EXPECT_EQ(read, second);
  EXPECT_TRUE(bytes.empty());
}

TEST(svb, more_numbers_than_allowed_are_refused) {
  const std::string column = column_of(Numbers(100, 1));
  Bytes bytes = view(column);
  Numbers read;
  const auto done = read_svb(bytes, read, 99);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Code::count_too_large);
}

TEST(svb, a_cut_column_is_an_error) {
  for (const auto& numbers : {random_numbers(50, 40, 6), Numbers(50, 3)}) {
    const std::string column = column_of(numbers);
    for (std::size_t size = 0; size < column.size(); ++size) {
      const std::vector<std::byte> exact(view(column).begin(),
                                         view(column).begin() + static_cast<std::ptrdiff_t>(size));
      Bytes bytes(exact);
      Numbers read;
      EXPECT_FALSE(read_svb(bytes, read)) << size;
    }
  }
}

TEST(svb, damage_gives_an_error_or_numbers) {
  for (const auto& numbers : {random_numbers(50, 40, 6), Numbers(50, 3)}) {
    const std::string column = column_of(numbers);
    for (std::size_t bit = 0; bit < column.size() * 8; ++bit) {
      std::vector<std::byte> exact(view(column).begin(), view(column).end());
      exact[bit / 8] ^= std::byte{1} << (bit % 8);
      Bytes bytes(exact);
      Numbers read;
      if (read_svb(bytes, read)) {
        EXPECT_LE(read.size(), kMostSvbNumbers);
      }
    }
  }
}

TEST(coded_bytes, come_back_and_only_what_gets_shorter_is_compressed) {
  for (const std::string& raw : {std::string(), std::string("abc"), std::string(5000, 'x')}) {
    std::string stored;
    const Coding coding = append_coded(view(raw), stored);
    EXPECT_EQ(coding == Coding::zstd, stored.size() < raw.size());
    RawArray<std::byte> into;
    const auto read = read_coded(view(stored), static_cast<std::uint8_t>(coding), 5000, into);
    ASSERT_TRUE(read.has_value());
    EXPECT_TRUE(std::ranges::equal(*read, view(raw)));
  }
}

TEST(coded_bytes, that_would_be_too_many_or_of_another_coding_are_refused) {
  std::string stored;
  append_coded(view(std::string(5000, 'x')), stored);
  RawArray<std::byte> into;
  EXPECT_EQ(read_coded(view(stored), 1, 4999, into).error().code, Code::count_too_large);
  EXPECT_EQ(read_coded(view(stored), 2, 5000, into).error().code, Code::value_unexpected);
  EXPECT_EQ(read_coded(view("none of it"), 1, 5000, into).error().code, Code::compressed_damaged);
}

}  // namespace
}  // namespace polytrace::base
