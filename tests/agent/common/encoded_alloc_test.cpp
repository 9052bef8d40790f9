// SPDX-License-Identifier: Apache-2.0
#include "agent/common/record/encoded_alloc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "format/native/wire/body.hpp"

namespace polytrace {
namespace {

using agent::EncodedAlloc;
namespace native = format::native;

struct Case {
  base::Id type;
  std::uint64_t object;
  std::uint64_t size;
};

// As any event with a body is stored: its length, the body, zeros up to a whole word.
std::vector<std::byte> expected(const Case& one) {
  std::byte memory[64];
  native::ByteOutput body(memory, sizeof memory);
  event::Alloc details;
  details.object = one.object;
  details.size = one.size;
  native::encode_body(body, one.type, details);
  std::vector<std::byte> bytes{static_cast<std::byte>(body.size())};
  bytes.insert(bytes.end(), body.view().begin(), body.view().end());
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

std::vector<std::byte> encoded(const Case& one) {
  const EncodedAlloc alloc(one.type, one.object, one.size);
  const auto* const begin = reinterpret_cast<const std::byte*>(alloc.words());
  return {begin, begin + 8 * alloc.count()};
}

void expect_same(const Case& one) {
  EXPECT_EQ(encoded(one), expected(one)) << one.type << ' ' << one.object << ' ' << one.size;
}

constexpr std::uint64_t kMostAddress = (std::uint64_t{1} << 56) - 1;

TEST(encoded_alloc, is_what_any_alloc_event_would_be) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t value = std::uint64_t{1} << bit;
    for (const std::uint64_t number : {std::max(value - 1, std::uint64_t{1}), value, value | 1}) {
      expect_same({1, number & kMostAddress, 16});
      expect_same({1, 0x7f0000001000, number});
      expect_same({number & 0xffffffff, 0x7f0000001000, 24});
    }
  }
}

TEST(encoded_alloc, whatever_the_numbers) {
  std::mt19937_64 random(20071012);
  for (int i = 0; i < 20'000; ++i) {
    const auto shorter = [&](std::uint64_t most) { return (random() & most) >> random() % 56; };
    expect_same({shorter(0xffffffff), shorter(kMostAddress), shorter(~std::uint64_t{0}) | 1});
  }
}

TEST(encoded_alloc, has_room_for_the_longest) {
  const EncodedAlloc alloc(0xffffffff, kMostAddress, ~std::uint64_t{0});
  EXPECT_EQ(alloc.count(), 4U);
}

}  // namespace
}  // namespace polytrace
