// SPDX-License-Identifier: Apache-2.0
// The hot loop over calls against the general way, byte by byte: same events, same place to go on.
#include "format/mlpd/records/record_reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "base/io/cursor.hpp"
#include "base/io/digit_groups.hpp"
#include "format/equal_events.hpp"

namespace polytrace::format::mlpd {
namespace {

using event::Event;
using event::Kind;

// Numbers of up to `longest` bytes, sometimes told in more bytes than they need.
class Bytes {
 public:
  explicit Bytes(unsigned seed) : random_(seed) {}

  void call(unsigned longest) {
    static constexpr std::array<unsigned, 3> kFirst{0x13, 0x23, 0x33};
    put(kFirst[random_() % 3]);
    number(longest);
    number(longest);
  }
  void number(unsigned longest) {
    for (auto left = random_() % longest; left > 0; --left) put(0x80 | (random_() & 0x7f));
    put(random_() & 0x7f);
  }
  void put(std::uint64_t byte) { bytes.push_back(static_cast<std::byte>(byte)); }

  std::vector<std::byte> bytes;

 private:
  std::mt19937_64 random_;
};

struct Decoded {
  std::vector<Event> events;
  CallRun run;
};

CallRun start(const std::vector<std::byte>& bytes, std::uint64_t id_mask) {
  return {bytes.data(), bytes.data() + bytes.size(), 1000, 0x7f0012345678, id_mask, 5, {}};
}

Decoded by(base::DigitsBy way, const std::vector<std::byte>& bytes, std::uint64_t id_mask,
           std::size_t room) {
  Decoded out{std::vector<Event>(room), start(bytes, id_mask)};
  const Event* end = decode_calls(out.run, out.events.data(), out.events.data() + room, way);
  out.events.resize(static_cast<std::size_t>(end - out.events.data()));
  return out;
}

// As many records as `count`, slowly.
Decoded general(const std::vector<std::byte>& bytes, std::uint64_t id_mask, std::size_t count) {
  Decoded out{{}, start(bytes, id_mask)};
  base::Cursor in(bytes, 0);
  while (out.events.size() < count && in.ok()) {
    const std::byte* begin = in.at();
    const unsigned first = in.byte();
    out.run.time += in.uleb();
    out.run.method += static_cast<std::uint64_t>(in.sleb());
    const Kind kind = first == 0x13 ? Kind::Leave : first == 0x23 ? Kind::Enter : Kind::Unwind;
    out.events.push_back({static_cast<base::Time>(out.run.time), out.run.method & id_mask,
                          event::kAbsent, 5, kind, 0});
    out.run.tally[first >> 4] +=
        (std::uint64_t{1} << 40) | static_cast<std::uint64_t>(in.at() - begin);
    out.run.at = in.at();
  }
  return out;
}

void expect_equal(const Decoded& a, const Decoded& b) {
  ASSERT_NO_FATAL_FAILURE(test::expect_equal_events(a.events, b.events));
  EXPECT_EQ(a.run.at, b.run.at);
  EXPECT_EQ(a.run.time, b.run.time);
  EXPECT_EQ(a.run.method, b.run.method);
  for (unsigned kind = 1; kind < 4; ++kind) EXPECT_EQ(a.run.tally[kind], b.run.tally[kind]);
}

// Both ways stop at the same record; what they decoded is what the general way decodes.
std::size_t check(const std::vector<std::byte>& bytes, std::uint64_t id_mask = ~std::uint64_t{0},
                  std::size_t room = 100'000) {
  const Decoded portable = by(base::DigitsBy::shifts, bytes, id_mask, room);
  expect_equal(portable, general(bytes, id_mask, portable.events.size()));
  if (base::has_fast_bit_extract())
    expect_equal(portable, by(base::DigitsBy::bit_extract, bytes, id_mask, room));
  return portable.events.size();
}

TEST(call_bytes, decodes_calls_of_all_lengths) {
  for (unsigned longest = 1; longest <= 4; ++longest) {
    Bytes made(longest);
    for (int i = 0; i < 5000; ++i) made.call(longest);
    // All but what may lie in the last block.
    EXPECT_GT(check(made.bytes), 5000U - 30U);
    check(made.bytes, 0xffffffffU);
  }
}

TEST(call_bytes, stops_at_a_record_longer_than_one_load) {
  Bytes made(7);
  for (int i = 0; i < 100; ++i) made.call(2);
  for (int i = 0; i < 8; ++i) made.put(i == 0 ? 0x23 : 0x81);
  for (int i = 0; i < 100; ++i) made.call(2);
  EXPECT_EQ(check(made.bytes), 100U);
}

// Also bytes with the high bit set, which look like the middle of a number.
TEST(call_bytes, stops_at_any_other_first_byte) {
  for (unsigned first = 0; first < 256; ++first) {
    if (is_call(static_cast<std::byte>(first))) continue;
    Bytes made(first);
    for (int i = 0; i < 37; ++i) made.call(3);
    made.put(first);
    for (int i = 0; i < 100; ++i) made.call(3);
    EXPECT_EQ(check(made.bytes), 37U) << first;
  }
}

TEST(call_bytes, reads_nothing_behind_the_end) {
  Bytes made(3);
  for (int i = 0; i < 60; ++i) made.call(3);
  for (std::size_t size = 0; size < made.bytes.size(); ++size) {
    // A copy of exactly this size: the sanitizers see any byte beyond.
    const std::vector<std::byte> cut(made.bytes.begin(),
                                     made.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const std::size_t decoded = check(cut);
    EXPECT_LE(decoded, size / 3);
  }
}

TEST(call_bytes, keeps_to_its_room) {
  Bytes made(4);
  for (int i = 0; i < 200; ++i) made.call(2);
  for (std::size_t room = 0; room < 40; ++room) {
    const std::size_t decoded = check(made.bytes, ~std::uint64_t{0}, room);
    EXPECT_LE(decoded, room);
    EXPECT_GT(decoded + static_cast<std::size_t>(kCallsAtOnce), room);
  }
}

}  // namespace
}  // namespace polytrace::format::mlpd
