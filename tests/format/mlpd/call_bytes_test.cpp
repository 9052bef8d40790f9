// SPDX-License-Identifier: Apache-2.0
// The hot loop over calls against the general way, byte by byte: same events, same place to go on.
#include "format/mlpd/records/record_reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/io/cursor.hpp"
#include "base/io/digit_groups.hpp"
#include "base/io/sink.hpp"
#include "format/equal_events.hpp"
#include "format/format.hpp"
#include "format/mlpd/records/record_writer.hpp"

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

// Calls whose times and methods differ by up to so many bits, among them some that are earlier.
event::Batch some_calls(unsigned bits) {
  std::mt19937_64 random(bits);
  event::Batch batch;
  const std::uint16_t thread = batch.thread_slot(7);
  std::uint64_t time = 1000;
  for (int i = 0; i < 3000; ++i) {
    const auto number = [&] { return random() >> (64 - 1 - random() % bits); };
    const auto kind = static_cast<Kind>(static_cast<unsigned>(Kind::Enter) + random() % 3);
    time += random() % 100 == 0 ? 0 - (number() >> 2) : number() >> 2;
    batch.add_plain(static_cast<base::Time>(time), thread, number(), kind);
  }
  return batch;
}

std::vector<std::byte> one_by_one(const event::Batch& batch) {
  static constexpr std::array<std::uint8_t, 3> kFirst{0x23, 0x13, 0x33};  // by kind
  RecordWriter writer(17);
  writer.open(7, batch.events[0].time);
  for (const Event& event : batch.events) {
    const auto kind = static_cast<unsigned>(event.kind) - static_cast<unsigned>(Kind::Enter);
    writer.start_record(kFirst[kind], event.time, true, batch);
    writer.method(event.id);
  }
  base::Appender out;
  writer.close(out);
  return {out.view().begin(), out.view().end()};
}

std::vector<std::byte> at_once(const event::Batch& batch, base::DigitsBy way) {
  RecordWriter writer(17);
  writer.open(7, batch.events[0].time);
  const std::span<const Event> events(batch.events.begin(), batch.events.end());
  EXPECT_EQ(writer.calls(events, 0, 1 << 20, way), 0U) << "a buffer's first method";
  writer.start_record(events[0].kind == Kind::Enter   ? 0x23
                      : events[0].kind == Kind::Leave ? 0x13
                                                      : 0x33,
                      events[0].time, true, batch);
  writer.method(events[0].id);
  EXPECT_EQ(writer.calls(events.subspan(1), 1, 1 << 20, way), 0U) << "another thread's";
  const std::size_t half = writer.calls(events.subspan(1), 0, 2000, way);
  EXPECT_GE(writer.size(), 2000U);
  EXPECT_LT(writer.size(), 2000U + 21);
  EXPECT_EQ(writer.calls(events.subspan(1 + half), 0, 1 << 20, way), events.size() - 1 - half);
  base::Appender out;
  writer.close(out);
  return {out.view().begin(), out.view().end()};
}

TEST(mlpd_call_bytes, are_written_at_once_as_one_by_one) {
  for (const unsigned bits : {4U, 8U, 14U, 22U, 31U, 45U, 61U}) {
    const event::Batch batch = some_calls(bits);
    const auto expected = one_by_one(batch);
    EXPECT_EQ(at_once(batch, base::DigitsBy::shifts), expected) << bits;
    if (base::has_fast_bit_extract()) {
      EXPECT_EQ(at_once(batch, base::DigitsBy::bit_extract), expected) << bits;
    }
  }
}

// What calls tell that the format has no place for: every field of every call, counted here by
// hand.
TEST(mlpd_call_bytes, counts_fields_of_calls_that_are_lost) {
  std::mt19937_64 random(1);
  event::Batch batch;
  const std::uint16_t thread = batch.thread_slot(7);
  std::map<std::string, event::u64> told;
  for (int i = 0; i < 1000; ++i) {
    event::Enter enter;
    event::Unwind unwind;
    if (random() % 2 == 0) ++told["enter.ticket"], enter.ticket = 5;
    if (random() % 3 == 0) ++told["enter.class_id"], enter.class_id = 0;
    if (random() % 3 == 0) ++told["unwind.cpu"], unwind.cpu = -1;
    if (random() % 5 == 0) ++told["unwind.depth"], unwind.depth = 1;
    if (random() % 7 == 0) ++told["unwind.object"], unwind.object = 9;
    batch.add(i, thread, 1, enter);
    batch.add_plain(i, thread, 1, Kind::Leave);
    batch.add(i, thread, random() % 9 == 0 ? base::kNoId : 2, unwind);
    if (batch.events[batch.events.size() - 1].id == base::kNoId) ++told["unwind.method"];
  }
  std::vector<std::byte> bytes;
  auto writer = kFormat.create(base::memory_sink(bytes), {});
  ASSERT_TRUE(writer);
  for (int times = 0; times < 2; ++times) ASSERT_TRUE((*writer)->write(batch));
  ASSERT_TRUE((*writer)->finish());
  for (auto& [field, count] : told) count *= 2;
  EXPECT_EQ((*writer)->loss().fields, told);
}

}  // namespace
}  // namespace polytrace::format::mlpd
