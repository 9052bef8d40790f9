// SPDX-License-Identifier: Apache-2.0
#include "warehouse/row_binary.hpp"

#include <gtest/gtest.h>

#include <random>

namespace polytrace::warehouse {
namespace {

using Random = std::mt19937_64;

void fill(Random& random, std::string& value) {
  value.resize(random() % 200);
  for (char& c : value) c = static_cast<char>(random());
}
template <FixedValue T>
void fill(Random& random, T& value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    reinterpret_cast<unsigned char*>(&value)[i] = static_cast<unsigned char>(random());
}
template <class T>
void fill(Random& random, std::vector<T>& values) {
  values.resize(random() % 150);
  for (T& value : values) fill(random, value);
}
template <class Row>
Row random_row(Random& random) {
  Row row;
  visit_columns(row, [&](std::string_view, std::string_view, auto& value) { fill(random, value); });
  return row;
}

TEST(row_binary, every_table_comes_back_as_it_was_written) {
  Random random(7);
  visit_tables([&]<class Row>(const Row&) {
    std::vector<Row> rows;
    base::Appender bytes;
    for (int i = 0; i < 50; ++i) append_row(rows.emplace_back(random_row<Row>(random)), bytes);
    base::Cursor in(bytes.view(), 0);
    for (const Row& expected : rows) {
      Row row;
      ASSERT_TRUE(read_row(in, row)) << Row::kTable;
      EXPECT_EQ(row, expected);
    }
    EXPECT_TRUE(in.done());
  });
}

TEST(row_binary, any_early_end_is_a_fault) {
  Random random(8);
  visit_tables([&]<class Row>(const Row&) {
    base::Appender bytes;
    append_row(random_row<Row>(random), bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      base::Cursor in(bytes.view().first(size), 0);
      Row row;
      EXPECT_FALSE(read_row(in, row)) << Row::kTable << " of " << size;
    }
  });
}

TEST(row_binary, a_count_beyond_the_bytes_reserves_nothing) {
  base::Appender bytes;
  bytes.uleb(std::uint64_t{1} << 60);
  std::vector<std::uint64_t> numbers;
  base::Cursor in(bytes.view(), 0);
  read_value(in, numbers);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(numbers.capacity(), 0U);
}

// As the format is described, by hand.
TEST(row_binary, bytes_are_those_of_the_format) {
  base::Appender bytes;
  append_value(std::uint16_t{0x0102}, bytes);
  append_value(std::string("ab"), bytes);
  append_value(std::vector<std::uint32_t>{1, 2}, bytes);
  append_value(std::string(200, 'x'), bytes);
  const std::string text(reinterpret_cast<const char*>(bytes.view().data()), bytes.size());
  EXPECT_EQ(text, std::string("\x02\x01\x02"
                              "ab\x02\x01\0\0\0\x02\0\0\0\xc8\x01",
                              16) +
                      std::string(200, 'x'));
}

}  // namespace
}  // namespace polytrace::warehouse
