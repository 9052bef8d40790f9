// SPDX-License-Identifier: Apache-2.0
// Each coding is taken where it is the shortest, and says what was put in.
#include <gtest/gtest.h>

#include <random>

#include "store/rows/row_tables.hpp"

namespace polytrace::store {
namespace {

using event::Batch;
using event::Kind;

constexpr u16 kObject = 0;  // of an alloc
constexpr u16 kSize = 1;

u8 byte_of(Coding coding) { return static_cast<u8>(coding); }

// Allocations of which each tells `values[i]` as its size.
std::string sizes_encoded(std::span<const u64> values) {
  Batch batch;
  const auto thread = batch.thread_slot(1);
  for (std::size_t i = 0; i < values.size(); ++i)
    batch.add(static_cast<base::Time>(i), thread, 1, event::Alloc{.size = values[i]});
  TestTables tables;
  RowEncoder encoder(Kind::Alloc, tables);
  add_all(batch, tables, encoder);
  std::string payload;
  encoder.finish(payload, 0);
  return payload;
}

// The coding byte of the sizes, which are what they were.
u8 coding_of_sizes(std::span<const u64> values) {
  const std::string payload = sizes_encoded(values);
  auto view = RowView::open(bytes_of(payload));
  const auto numbers = view->numbers(kSize);
  EXPECT_TRUE(std::ranges::equal(*numbers, values));
  const ColumnEntry& entry = *view->find(kSize);
  EXPECT_EQ(static_cast<u64>(entry.least), std::ranges::min(values));
  EXPECT_EQ(static_cast<u64>(entry.greatest), std::ranges::max(values));
  return entry.coding;
}

template <class Value>
std::vector<u64> made(std::size_t count, Value value) {
  std::vector<u64> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value(i);
  return values;
}

TEST(column_coding, of_one_value_is_constant) {
  EXPECT_EQ(coding_of_sizes(made(1000, [](auto) { return 24U; })), byte_of(Coding::constant));
  EXPECT_EQ(coding_of_sizes(made(1, [](auto) { return ~u64{0} - 5; })), byte_of(Coding::constant));
}

TEST(column_coding, of_small_numbers_without_order_is_svb) {
  std::mt19937_64 engine(1);
  EXPECT_EQ(coding_of_sizes(made(5000, [&](auto) { return engine() % 65535 + 1; })),
            byte_of(Coding::svb));
}

TEST(column_coding, of_what_grows_is_differences) {
  std::mt19937_64 engine(2);
  u64 address = 0x7f00'0000'0000;
  const auto next = [&](auto) { return address += 16 + engine() % 200; };
  EXPECT_EQ(coding_of_sizes(made(5000, next)), byte_of(Coding::differences));
}

TEST(column_coding, of_few_large_values_is_a_dictionary) {
  std::mt19937_64 engine(3);
  const auto few = made(20, [&](auto) { return engine() | 1; });
  EXPECT_EQ(coding_of_sizes(made(5000, [&](auto) { return few[engine() % 20]; })),
            byte_of(Coding::dictionary) | kZstd);
  const auto flat = made(256, [&](auto) { return engine() | 1; });
  EXPECT_EQ(
      coding_of_sizes(made(5000, [&](auto i) { return i < 256 ? flat[i] : flat[engine() % 256]; })),
      byte_of(Coding::dictionary));
}

TEST(column_coding, of_more_than_256_values_has_two_bytes_each) {
  std::mt19937_64 engine(4);
  const auto some = made(257, [&](auto) { return engine() | 1; });
  const auto values =
      made(20'000, [&](auto i) { return i < 257 ? some[i] : some[engine() % 257]; });
  EXPECT_EQ(coding_of_sizes(values) & ~kZstd, byte_of(Coding::dictionary));
}

TEST(column_coding, of_numbers_without_order_is_raw) {
  std::mt19937_64 engine(5);
  EXPECT_EQ(coding_of_sizes(made(5000, [&](auto) { return engine() | 1; })), byte_of(Coding::raw));
}

TEST(column_coding, of_reals_keeps_their_bits) {
  Batch batch;
  const auto thread = batch.thread_slot(1);
  const double reals[]{-0.0, 1e300, -7.25, 5e-324, std::numeric_limits<double>::quiet_NaN()};
  for (const double real : reals) batch.add(1, thread, 1, event::CounterValue{.real = real});
  TestTables tables;
  RowEncoder encoder(Kind::CounterValue, tables);
  add_all(batch, tables, encoder);
  std::string payload;
  encoder.finish(payload, 0);
  auto view = RowView::open(bytes_of(payload));
  ASSERT_TRUE(view->load());
  Batch back;
  for (u32 row = 0; row < view->rows(); ++row) view->add(row, tables, back);
  for (std::size_t i = 0; i < std::size(reals); ++i)
    EXPECT_EQ(std::bit_cast<u64>(back.column<event::CounterValue>()[i].real),
              std::bit_cast<u64>(reals[i]));
}

TEST(column_coding, of_signed_numbers_holds_all_of_them) {
  std::mt19937_64 engine(6);
  Batch batch;
  const auto thread = batch.thread_slot(1);
  std::vector<base::Duration> durations;
  for (int i = 0; i < 2000; ++i)
    durations.push_back(static_cast<base::Duration>(engine() % 60'000) - 30'001);
  durations.push_back(std::numeric_limits<base::Duration>::min());
  durations.push_back(std::numeric_limits<base::Duration>::max());
  for (const base::Duration used : durations) batch.add(1, thread, 1, event::Cpu{.used = used});
  TestTables tables;
  RowEncoder encoder(Kind::Cpu, tables);
  add_all(batch, tables, encoder);
  std::string payload;
  encoder.finish(payload, 0);
  auto view = RowView::open(bytes_of(payload));
  const u16 used = field_number(Kind::Cpu, "used");
  EXPECT_EQ(view->find(used)->coding, byte_of(Coding::svb));
  EXPECT_EQ(view->find(used)->least, std::ranges::min(durations));
  EXPECT_EQ(view->find(used)->greatest, std::ranges::max(durations));
  const auto numbers = view->numbers(used);
  EXPECT_TRUE(std::ranges::equal(*numbers, durations, {},
                                 [](u64 n) { return static_cast<base::Duration>(n); }));
}

TEST(column_bitmap, is_there_only_where_a_row_lacks_what_others_have) {
  for (const unsigned every : {1U, 2U, 3000U}) {
    const auto values = made(1000, [&](auto i) { return i % every == 0 ? i + 1 : 0; });
    const std::string payload = sizes_encoded(values);
    auto view = RowView::open(bytes_of(payload));
    EXPECT_EQ(view->find(part_of(kSize, kBitmapOf)) != nullptr, every != 1);
    EXPECT_EQ(view->find(kObject), nullptr);
    EXPECT_TRUE(view->numbers(kObject)->empty());
    EXPECT_TRUE(std::ranges::equal(*view->numbers(kSize), values));
  }
}

TEST(column_bitmap, is_compressed_where_that_helps) {
  std::mt19937_64 engine(10);
  const u16 field = part_of(kSize, kBitmapOf);
  const std::string regular = sizes_encoded(made(9000, [](auto i) { return i % 2 * 5; }));
  EXPECT_EQ(RowView::open(bytes_of(regular))->find(field)->coding, byte_of(Coding::raw) | kZstd);
  const auto values = made(9000, [&](auto) { return engine() % 2 * 5; });
  const std::string random = sizes_encoded(values);
  auto view = RowView::open(bytes_of(random));
  EXPECT_EQ(view->find(field)->coding, byte_of(Coding::raw));
  EXPECT_EQ(view->find(field)->stored, 9000U / 8);
  EXPECT_TRUE(std::ranges::equal(*view->numbers(kSize), values));
}

TEST(column_bitmap, leaves_what_means_not_told) {
  Batch batch;
  const auto thread = batch.thread_slot(1);
  for (base::Id i = 0; i < 100; ++i)
    batch.add(1, thread, 1, event::Alloc{.object = i % 3 == 0 ? i : base::kNoId});
  TestTables tables;
  RowEncoder encoder(Kind::Alloc, tables);
  add_all(batch, tables, encoder);
  std::string payload;
  encoder.finish(payload, 0);
  auto view = RowView::open(bytes_of(payload));
  const auto objects = view->numbers(kObject);
  for (base::Id i = 0; i < 100; ++i) EXPECT_EQ((*objects)[i], i % 3 == 0 ? i : base::kNoId);
  EXPECT_EQ(view->find(kObject)->greatest, 99);
}

TEST(column_coding, of_lists_is_one_for_each_member) {
  Batch batch;
  const auto thread = batch.thread_slot(1);
  std::mt19937_64 engine(7);
  auto& refs = batch.column<event::Ref>();
  for (int i = 0; i < 400; ++i) {
    event::DumpObject object;
    object.refs = {{static_cast<u32>(refs.size()), static_cast<u32>(i % 5)}};
    for (int k = 0; k < i % 5; ++k) refs.push_back({engine() | 1, 16});
    batch.add(i, thread, base::kNoId, object);
  }
  TestTables tables;
  RowEncoder encoder(Kind::DumpObject, tables);
  add_all(batch, tables, encoder);
  std::string payload;
  encoder.finish(payload, 0);
  auto view = RowView::open(bytes_of(payload));
  const u16 field = field_number(Kind::DumpObject, "refs");
  EXPECT_EQ(view->find(field)->coding, byte_of(Coding::list));
  const ListColumn& lists = **view->lists(field);
  for (u32 row = 0; row < 400; ++row) EXPECT_EQ(lists.count(row), row % 5);
  ASSERT_EQ(lists.members[0].size(), refs.size());
  for (std::size_t i = 0; i < refs.size(); ++i) {
    EXPECT_EQ(lists.members[0][i], refs[i].target);
    EXPECT_EQ(lists.members[1][i], 16U);
  }
  // 8 bytes of each target, none of the offsets.
  EXPECT_LT(payload.size(), refs.size() * 8 + 600);
}

// Codings are tried out by the first segment and each 64th: those between go by it, even where
// another one would be shorter.
TEST(column_coding, stays_for_64_segments) {
  std::mt19937_64 engine(8);
  TestTables tables;
  RowEncoder encoder(Kind::Alloc, tables);
  for (unsigned segment = 0; segment < 66; ++segment) {
    Batch batch;
    const auto thread = batch.thread_slot(1);
    for (u64 i = 0; i < 200; ++i) {
      const u64 size = segment == 0 ? 1'000'000 + i * 8 : engine() | 1;
      batch.add(1, thread, 1, event::Alloc{.size = size});
    }
    add_all(batch, tables, encoder);
    std::string payload;
    encoder.finish(payload, segment * 200);
    const auto view = RowView::open(bytes_of(payload));
    const Coding expected = segment < 64 ? Coding::differences : Coding::raw;
    EXPECT_EQ(view->find(kSize)->coding, byte_of(expected)) << segment;
  }
}

}  // namespace
}  // namespace polytrace::store
