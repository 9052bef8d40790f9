// SPDX-License-Identifier: Apache-2.0
// The hot loop over calls of a block against the general way, number by number: same events, same
// stack, same place to go on.
#include "format/monoblock/read/call_run.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/io/digit_groups.hpp"
#include "base/io/sink.hpp"
#include "base/io/source.hpp"
#include "format/equal_events.hpp"
#include "format/format.hpp"
#include "format/monoblock/layout/number.hpp"

namespace polytrace::format::monoblock {
namespace {

using base::Id;
using event::Event;
using event::Kind;

constexpr std::size_t kDeepest = 200;

struct Packing {
  bool shipped;
  unsigned shift() const { return shipped ? 3 : 2; }
  unsigned enter() const { return shipped ? 1 : 0; }
  unsigned exit() const { return shipped ? 3 : 1; }
};

// A random block of calls whose exits match.
class Calls {
 public:
  Calls(unsigned seed, Packing packing) : random_(seed), packing_(packing) {}

  // `bits`: of methods and deltas; `named`: of ten exits, so many name their method.
  void add(int count, unsigned bits, unsigned named) {
    for (int i = 0; i < count; ++i) {
      const bool enter = stack_.empty() || (stack_.size() < kDeepest && random_() % 2 == 0);
      if (enter) stack_.push_back(random_() >> (64 - 1 - random_() % bits));
      const bool last = !enter && !packing_.shipped && random_() % 10 >= named;
      if (last) bytes.byte(3);
      else put_named(enter ? packing_.enter() : packing_.exit(), stack_.back());
      if (!enter) stack_.pop_back();
      append_number(bytes, random_() >> (64 - 1 - random_() % bits));
    }
  }
  void put_named(unsigned kind, Id method) {
    const std::uint64_t low = method & ((1U << (8 - packing_.shift())) - 1);
    bytes.byte(static_cast<std::uint8_t>(low << packing_.shift() | kind));
    append_number(bytes, method >> (8 - packing_.shift()));
  }

  base::Appender bytes;

 private:
  std::mt19937_64 random_;
  Packing packing_;
  std::vector<Id> stack_;
};

struct Decoded {
  std::vector<Event> events;
  std::size_t bytes = 0;
  std::uint64_t time = 1000;
  std::vector<Id> stack;
  CallTally tally;
};

Decoded by(base::DigitsBy way, base::Bytes bytes, bool shipped, std::size_t room) {
  Decoded out;
  out.events.resize(room);
  out.stack.assign(room + 2, base::kNoId);
  CallRun run{bytes.data(), bytes.data() + bytes.size(), out.time, 5, out.stack.data() + 1, {}};
  const Event* end = decode_calls(run, out.events.data(), out.events.data() + room, shipped, way);
  out.events.resize(static_cast<std::size_t>(end - out.events.data()));
  out.stack.resize(static_cast<std::size_t>(run.top - out.stack.data()));
  out.bytes = static_cast<std::size_t>(run.at - bytes.data());
  out.time = run.time;
  out.tally = run.tally;
  return out;
}

// As many calls as `count`, slowly.
Decoded general(base::Bytes bytes, Packing packing, std::size_t count) {
  Decoded out;
  out.stack = {base::kNoId};
  base::Cursor in(bytes, 0);
  while (out.events.size() < count) {
    const std::size_t begin = static_cast<std::size_t>(in.at() - bytes.data());
    const unsigned first = in.byte();
    const bool last = !packing.shipped && first == 3;
    const bool enter = (first & ((1U << packing.shift()) - 1)) == packing.enter();
    Id method = out.stack.back();
    if (!last) method = first >> packing.shift() | number(in) << (8 - packing.shift());
    out.time += number(in);
    EXPECT_TRUE(enter || out.stack.back() == method);
    if (enter) out.stack.push_back(method);
    else out.stack.pop_back();
    out.events.push_back({static_cast<base::Time>(out.time), method, event::kAbsent, 5,
                          enter ? Kind::Enter : Kind::Leave, 0});
    out.bytes = static_cast<std::size_t>(in.at() - bytes.data());
    out.tally.forms[enter ? 0 : last ? 2 : 1].add(1, out.bytes - begin);
  }
  return out;
}

void expect_equal(const Decoded& a, const Decoded& b) {
  ASSERT_NO_FATAL_FAILURE(test::expect_equal_events(a.events, b.events));
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.stack, b.stack);
  for (std::size_t form = 0; form < a.tally.forms.size(); ++form) {
    EXPECT_EQ(a.tally.forms[form].count, b.tally.forms[form].count) << form;
    EXPECT_EQ(a.tally.forms[form].bytes, b.tally.forms[form].bytes) << form;
  }
}

// Both ways stop at the same event; what they decoded is what the general way decodes.
std::size_t check(base::Bytes bytes, Packing packing, std::size_t room = 100'000) {
  const Decoded portable = by(base::DigitsBy::shifts, bytes, packing.shipped, room);
  expect_equal(portable, general(bytes, packing, portable.events.size()));
  if (base::has_fast_bit_extract())
    expect_equal(portable, by(base::DigitsBy::bit_extract, bytes, packing.shipped, room));
  return portable.events.size();
}

TEST(call_run, decodes_calls_of_all_lengths_and_forms) {
  for (const bool shipped : {false, true}) {
    for (const unsigned bits : {5U, 13U, 25U}) {
      for (const unsigned named : {0U, 3U, 10U}) {
        Calls made(bits + named, {shipped});
        made.add(5000, bits, named);
        // All but what may lie in the last window.
        EXPECT_GT(check(made.bytes.view(), {shipped}), 5000U - 45U);
      }
    }
  }
}

TEST(call_run, stops_at_a_call_longer_than_one_load) {
  Calls made(7, {false});
  made.add(100, 10, 5);
  made.put_named(0, ~Id{0} >> 1);
  made.add(100, 10, 5);
  EXPECT_EQ(check(made.bytes.view(), {false}), 100U);
}

TEST(call_run, stops_at_an_exit_that_does_not_match) {
  for (const bool shipped : {false, true}) {
    const Packing packing{shipped};
    Calls made(8, packing);
    made.add(100, 10, 5);
    made.put_named(packing.exit(), 0x12345678);
    append_number(made.bytes, 1);
    made.add(100, 10, 5);
    EXPECT_EQ(check(made.bytes.view(), packing), 100U);
  }
}

TEST(call_run, stops_at_an_exit_without_frame) {
  base::Appender bytes;
  for (int i = 0; i < 100; ++i) bytes.byte(3), append_number(bytes, 1);
  EXPECT_EQ(check(bytes.view(), {false}), 0U);
}

TEST(call_run, reads_nothing_behind_the_end) {
  Calls made(3, {false});
  made.add(60, 12, 5);
  for (std::size_t size = 0; size < made.bytes.size(); ++size) {
    // A copy of exactly this size: the sanitizers see any byte beyond.
    const base::Bytes whole = made.bytes.view();
    const std::vector<std::byte> cut(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_LE(check(cut, {false}), size / 2);
  }
}

TEST(call_run, keeps_to_its_room) {
  Calls made(4, {false});
  made.add(200, 12, 5);
  for (std::size_t room = 0; room < 40; ++room) {
    const std::size_t decoded = check(made.bytes.view(), {false}, room);
    EXPECT_LE(decoded, room);
    EXPECT_GT(decoded + static_cast<std::size_t>(kCallsAtOnce), room);
  }
}

// Calls of two threads, with exits of other calls than the innermost one and of none, and numbers
// of up to so many bits: what is written is read as the same.
event::Batch some_calls(unsigned bits, unsigned odd) {
  std::mt19937_64 random(bits);
  event::Batch batch;
  std::vector<Id> open[2];
  base::Time time = 1000;
  for (int i = 0; i < 5000; ++i) {
    const auto thread = static_cast<std::uint16_t>(i / 700 % 2);
    std::vector<Id>& calls = open[thread];
    const auto number = [&] { return random() >> (64 - 1 - random() % bits); };
    const bool enter = calls.empty() || (calls.size() < kDeepest && random() % 2 == 0);
    if (enter) calls.push_back(number());
    if (random() % 8 == 0) time += static_cast<base::Time>(number() >> 16);
    else time += static_cast<base::Time>(random() % 300);
    const bool other = !enter && random() % odd == 0;
    batch.add_plain(time, batch.thread_slot(thread + 1U),
                    other ? calls[random() % calls.size()] + random() % 2 : calls.back(),
                    enter ? Kind::Enter : Kind::Leave);
    if (!enter) calls.pop_back();
  }
  return batch;
}

TEST(block_calls, are_read_as_they_were_written) {
  for (const unsigned bits : {5U, 13U, 30U, 50U, 63U}) {
    for (const unsigned odd : {3U, 100'000U}) {
      const event::Batch batch = some_calls(bits, odd);
      std::vector<std::byte> bytes;
      auto writer = kFormat.create(base::memory_sink(bytes), {});
      ASSERT_TRUE(writer);
      ASSERT_TRUE((*writer)->write(batch));
      ASSERT_TRUE((*writer)->finish());
      EXPECT_EQ((*writer)->loss().total(), 0U);
      auto reader = kFormat.open(base::memory_source(bytes), {});
      ASSERT_TRUE(reader);
      event::Batch read;
      std::size_t at = 0;
      while ((*reader)->next(read).value_or(false)) {
        for (const Event& event : read.events) {
          if (!event::is_call(event.kind)) continue;
          ASSERT_LT(at, batch.events.size());
          const Event& told = batch.events[at++];
          ASSERT_EQ(event.time, told.time) << at;
          ASSERT_EQ(event.id, told.id) << at;
          ASSERT_EQ(event.kind, told.kind) << at;
          ASSERT_EQ(read.thread(event), batch.thread(told)) << at;
        }
      }
      EXPECT_EQ(at, batch.events.size());
    }
  }
}

}  // namespace
}  // namespace polytrace::format::monoblock
