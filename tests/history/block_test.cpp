// SPDX-License-Identifier: Apache-2.0
// Blocks and their times by themselves: every length, gaps of every size, values that fill their
// 64 bits, and bytes that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "history/read/run_view.hpp"
#include "history/write/run_writer.hpp"

namespace polytrace::history {
namespace {

using Distances = std::vector<std::uint64_t>;

// The bytes of a list of times with exactly what must be readable behind them.
class Packed {
 public:
  explicit Packed(const Distances& distances) : count_(static_cast<unsigned>(distances.size())) {
    shape_ = TimeShape::of(distances.empty() ? 0 : distances.back(), distances.size());
    base::Appender to;
    put_times(to, distances, shape_);
    bytes_.assign(to.view().begin(), to.view().end());
    bytes_.resize(bytes_.size() + base::kReadable);
  }
  TimesView view() const {
    return {bytes_.data(), shape_.high_bytes, bytes_.data() + shape_.high_bytes, shape_.low_bits,
            count_};
  }
  TimeShape shape() const { return shape_; }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  unsigned count_;
  TimeShape shape_;
  std::vector<std::byte> bytes_;
};

void expect_found(const Distances& distances, const TimesView& view, std::uint64_t x) {
  const auto behind = std::ranges::upper_bound(distances, x);
  TimesView::Found found{};
  ASSERT_TRUE(view.find(x, found)) << x;
  ASSERT_EQ(found.number, behind - distances.begin()) << x;
  ASSERT_EQ(found.last, behind == distances.begin() ? 0 : behind[-1]) << x;
  if (behind != distances.end()) {
    ASSERT_EQ(found.next, *behind) << x;
  }
}

void expect_all_found(const Distances& distances) {
  Packed packed(distances);
  ASSERT_LE(packed.shape().high_bytes, BlockHead::kMostHighs);
  ASSERT_LT(packed.shape().low_bits, base::kMostBits);
  std::array<std::uint64_t, kBlock> all{};
  ASSERT_TRUE(packed.view().all(all));
  ASSERT_TRUE(std::equal(distances.begin(), distances.end(), all.begin()));
  expect_found(distances, packed.view(), 0);
  expect_found(distances, packed.view(), ~std::uint64_t{0});
  for (const std::uint64_t distance : distances) {
    expect_found(distances, packed.view(), distance - 1);
    expect_found(distances, packed.view(), distance);
    if (distance != ~std::uint64_t{0}) expect_found(distances, packed.view(), distance + 1);
  }
}

// Steps whose lengths differ by up to 2^`spread`.
Distances random_distances(std::mt19937_64& random, std::size_t count, unsigned spread) {
  Distances distances;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned bits = spread == 0 ? 0 : static_cast<unsigned>(random() % (spread + 1));
    at += 1 + random() % (std::uint64_t{1} << bits);
    distances.push_back(at);
  }
  return distances;
}

TEST(times, are_found_at_every_length) {
  std::mt19937_64 random(7);
  for (std::size_t count = 0; count < kBlock && !testing::Test::HasFailure(); ++count) {
    for (const unsigned spread : {0U, 1U, 5U, 20U, 55U})
      expect_all_found(random_distances(random, count, spread));
  }
}

TEST(times, that_crowd_at_one_end_are_found) {
  Distances at_begin(kBlock - 1);
  Distances at_end(kBlock - 1);
  for (std::size_t i = 0; i < kBlock - 1; ++i) {
    at_begin[i] = i + 1;
    at_end[i] = ~std::uint64_t{0} - (kBlock - 2) + i;
  }
  at_begin.back() = ~std::uint64_t{0};
  at_end.front() = 1;
  expect_all_found(at_begin);
  expect_all_found(at_end);
  expect_all_found({~std::uint64_t{0}});
  expect_all_found({1, ~std::uint64_t{0}});
}

TEST(times, of_damaged_bytes_stay_inside) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 2000; ++round) {
    Packed packed(random_distances(random, 1 + random() % (kBlock - 1), 20));
    for (std::size_t i = 0; i < packed.bytes().size() - base::kReadable; ++i)
      packed.bytes()[i] = static_cast<std::byte>(round % 3 == 0 ? 0 : random());
    std::array<std::uint64_t, kBlock> all{};
    (void)packed.view().all(all);
    for (const std::uint64_t x : {std::uint64_t{0}, random() % 4096, random()}) {
      TimesView::Found found{};
      if (packed.view().find(x, found)) {
        EXPECT_LT(found.number, kBlock);
      }
    }
  }
}

std::vector<std::byte> run_bytes(const std::vector<Change>& changes, Tick first, TypeCode code) {
  base::Appender to;
  put_run(to, changes, first, code);
  std::vector<std::byte> bytes(to.view().begin(), to.view().end());
  bytes.resize(bytes.size() + base::kReadable);
  return bytes;
}

Change change(Tick time, std::uint64_t payload, Tag tag) {
  return {payload, time, 0, Change::link_of(Change::kNone, tag)};
}

void expect_back(const std::vector<Change>& changes, TypeCode code) {
  const auto bytes = run_bytes(changes, changes[0].time, code);
  RunView run;
  ASSERT_TRUE(run.open(
      {bytes.data(), bytes.data() + bytes.size() - base::kReadable, changes[0].time, code}));
  for (const Change& each : changes) {
    BlockView block;
    BlockView::Found found{};
    ASSERT_TRUE(run.open_block(run.block_of(each.time), block));
    ASSERT_TRUE(block.find(each.time, found));
    const State state = block.state(found.number, found.time);
    ASSERT_EQ(state.start, each.time);
    ASSERT_EQ(state.tag, each.tag());
    ASSERT_EQ(state.payload, each.payload);
  }
}

TEST(blocks, keep_values_that_fill_their_bits_next_to_null_and_absent) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const Tag whole = tag_of(code_of(Type::integer));
  const Tag real = tag_of(code_of(Type::real));
  for (const std::uint64_t room : {0U, 1U, 2U, 3U}) {
    expect_back({change(5, kSign, whole), change(6, 0, kNullTag),
                 change(9, kSign - 1 - room, whole), change(10, 0, kAbsentTag)},
                code_of(Type::integer));
    expect_back(
        {change(5, 0, real), change(6, 0, kNullTag), change(9, ~std::uint64_t{0} - room, real)},
        code_of(Type::real));
  }
}

TEST(blocks, keep_what_holds_no_value_at_all) {
  const TypeCode code = code_of(Type::integer);
  expect_back({change(1, 0, kNullTag)}, code);
  expect_back({change(1, 0, kAbsentTag), change(2, 0, kNullTag)}, code);
  EXPECT_EQ(run_bytes({change(1, 0, kNullTag)}, 1, code).size(),
            BlockHead::kBytes + base::kReadable);
}

TEST(blocks, keep_a_code_for_each_value_of_any) {
  expect_back({change(-3, 1, tag_of(code_of(Type::boolean))), change(0, 0, kNullTag),
               change(4, ~std::uint64_t{0}, tag_of(code_of(Type::integer))),
               change(5, 0, kAbsentTag), change(7, 12, tag_of(code_of(Type::bytes)))},
              kAnyCode);
}

TEST(blocks, of_long_runs_are_found) {
  std::mt19937_64 random(9);
  std::vector<Change> changes;
  Tick time = -1000;
  for (std::size_t i = 0; i < 5 * kBlock + 3; ++i) {
    time += static_cast<Tick>(1 + random() % 1000);
    const auto hundredths = static_cast<double>(random() % 10000) / 100;
    const bool null = random() % 8 == 0;
    changes.push_back(
        null ? change(time, 0, kNullTag)
             : change(time, std::bit_cast<std::uint64_t>(hundredths), tag_of(code_of(Type::real))));
  }
  expect_back(changes, code_of(Type::real));
}

TEST(blocks, of_other_bytes_stay_inside) {
  std::mt19937_64 random(10);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes(random() % 200);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    const std::size_t size = bytes.size();
    bytes.resize(size + base::kReadable);
    const TypeCode code = round % 2 == 0 ? kAnyCode : code_of(Type::real);
    RunView run;
    BlockView block;
    if (!run.open({bytes.data(), bytes.data() + size, 0, code})) continue;
    if (!run.open_block(run.block_of(1000), block)) continue;
    BlockView::Found found{};
    std::array<Tick, kBlock> times;
    (void)block.times(times);
    for (const Tick t : {block.first_time(), block.first_time() / 2 + 1000, INT64_MAX}) {
      if (t < block.first_time() || !block.find(t, found)) continue;
      EXPECT_LT(found.number, kBlock);
      (void)block.state(found.number, found.time);
    }
  }
}

}  // namespace
}  // namespace polytrace::history
