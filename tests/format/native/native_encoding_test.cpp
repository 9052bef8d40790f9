// SPDX-License-Identifier: Apache-2.0
// The parts that agents use, against those of the library; and the hot loop over calls in both
// ways.
#include <gtest/gtest.h>

#include <random>

#include "base/io/crc32c.hpp"
#include "base/io/digit_groups.hpp"
#include "format/equal_events.hpp"
#include "format/native/read/call_run.hpp"
#include "format/native/wire/clock_line.hpp"
#include "format/native/wire/record_encoder.hpp"
#include "format/native/wire/sealing.hpp"
#include "format/native/wire/words.hpp"

namespace polytrace::format::native {
namespace {

using event::Event;

TEST(native_checksum, is_the_librarys) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 300; ++size) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    EXPECT_EQ(checksum(bytes), base::crc32c(bytes));
    EXPECT_EQ(checksum_portable(bytes), base::crc32c(bytes));
  }
}

TEST(native_clock_line, rounds_down_and_stays_in_range) {
  const ClockLine half{1000, 5000, std::uint64_t{1} << 31};
  EXPECT_EQ(time_at(half, 1003), 5001);
  EXPECT_EQ(time_at(half, 997), 4998);
  const ClockLine steep{0, 0, ~std::uint64_t{0}};
  EXPECT_EQ(time_at(steep, std::uint64_t{1} << 62), INT64_MAX);
  EXPECT_EQ(time_at(steep, std::uint64_t{3} << 62), INT64_MIN + 1);
  EXPECT_EQ(rate_of(1, 2), std::uint64_t{1} << 31);
  EXPECT_EQ(rate_of(UINT64_MAX, 1), UINT64_MAX);
}

TEST(native_record_encoder, writes_whole_records_or_nothing) {
  std::byte memory[64];
  RecordEncoder encoder;
  for (std::size_t size = 0; size < sizeof memory; ++size) {
    encoder.begin(memory, size, 100, 7);
    std::size_t before = 0;
    while (encoder.enter(100 + before, before) && encoder.alloc_array(90, 3, 4) &&
           encoder.thread(before) && encoder.event(100, 1, event::Note{"text"}))
      before = encoder.payload().size();
    EXPECT_LE(encoder.payload().size(), size);
    BlockHeader header;
    encoder.describe(header);
    EXPECT_EQ(header.length, encoder.payload().size());
    EXPECT_EQ(header.events, encoder.events());
  }
}

// Calls of 1 to 8 bytes, with frames left that were never entered.
std::vector<std::uint64_t> random_words(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> words(1000);
  std::uint64_t ticks = 0;
  for (std::uint64_t& word : words) {
    ticks += random() >> (40 + random() % 24);
    const Word kind = random() % 2 == 0 ? Word::enter : Word::leave;
    word = call_word(kind, 1 + (random() & kMaxMethod) % (1U << random() % 24), ticks);
  }
  return words;
}

TEST(native_record_encoder, writes_words_alike_in_both_ways) {
  if (!base::has_fast_bit_extract()) GTEST_SKIP() << "the processor has one way only";
  for (unsigned seed = 1; seed < 50; ++seed) {
    const auto words = random_words(seed);
    std::vector<std::byte> memories[2];
    std::size_t sizes[2] = {};
    for (const auto by : {base::DigitsBy::shifts, base::DigitsBy::bit_extract}) {
      const auto way = static_cast<std::size_t>(by);
      memories[way].resize(10'000);
      RecordEncoder encoder;
      encoder.begin(memories[way].data(), memories[way].size(), 5, 1);
      const std::uint64_t* const end = words.data() + words.size();
      EXPECT_EQ(encoder.calls(words.data(), end, 5, by), end);
      sizes[way] = encoder.payload().size();
    }
    ASSERT_EQ(sizes[0], sizes[1]);
    EXPECT_TRUE(std::equal(memories[0].begin(), memories[0].begin() + static_cast<long>(sizes[0]),
                           memories[1].begin()));
  }
}

// Bodies of 1 to 300 bytes of any kind, and sites, with steps of time of any size, also back.
TEST(native_record_encoder, writes_escapes_as_it_writes_each_alone) {
  for (unsigned seed = 1; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::byte> memories[2] = {std::vector<std::byte>(100'000),
                                          std::vector<std::byte>(100'000)};
    RecordEncoder alone;
    alone.begin(memories[0].data(), memories[0].size(), 5, 1);
    std::vector<std::uint64_t> words;
    std::uint64_t ticks = 1'000'000'000;
    for (int i = 0; i < 200; ++i) {
      ticks += (random() >> (36 + random() % 28)) - (random() % 10 == 0 ? 1000 : 0);
      if (random() % 3 == 0) {
        const std::uint64_t site = random() & kMaxArgument;
        words.push_back(escape_word(Escape::alloc, site, ticks));
        EXPECT_TRUE(alone.alloc(5 + ticks, site));
        continue;
      }
      std::byte bytes[304] = {};
      const std::size_t size = random() % 10 == 0 ? 1 + random() % 300 : 1 + random() % 30;
      std::byte* const body = put_var(bytes, size);
      for (std::size_t at = 0; at < size; ++at) body[at] = static_cast<std::byte>(random());
      const auto length = static_cast<std::size_t>(body - bytes) + size;
      const std::size_t more = (length + 7) / 8 + random() % 3 / 2;
      words.push_back(escape_word(Escape::event, more, ticks));
      words.resize(words.size() + more);
      std::memcpy(words.data() + words.size() - more, bytes, length);
      EXPECT_TRUE(alone.body(5 + ticks, {body, size}));
    }
    RecordEncoder together;
    together.begin(memories[1].data(), memories[1].size(), 5, 1);
    SegmentWords segment(words.data(), static_cast<std::uint32_t>(words.size()), 5, 1);
    EXPECT_TRUE(segment.move_to(together));
    EXPECT_FALSE(segment.damaged());
    ASSERT_TRUE(std::ranges::equal(together.payload(), alone.payload())) << seed;
    EXPECT_EQ(together.events(), alone.events());
    BlockHeader one;
    BlockHeader other;
    alone.describe(one);
    together.describe(other);
    EXPECT_EQ(one.last_tick, other.last_tick);
    EXPECT_EQ(one.flags, other.flags);
  }
}

TEST(native_record_encoder, names_so_many_threads_in_a_block) {
  std::vector<std::byte> memory(1 << 20);
  auto encoder = std::make_unique<RecordEncoder>();
  encoder->begin(memory.data(), memory.size(), 0, 0);
  for (base::Id thread = 1; thread <= RecordEncoder::kMostThreads; ++thread)
    ASSERT_TRUE(encoder->thread(thread));
  EXPECT_FALSE(encoder->thread(0));
  EXPECT_TRUE(encoder->thread(RecordEncoder::kMostThreads));  // it is the one already
}

std::vector<std::byte> random_calls(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> memory(20'000);
  auto encoder = std::make_unique<RecordEncoder>();
  encoder->begin(memory.data(), memory.size(), 0, 7);
  std::vector<base::Id> open;
  std::uint64_t tick = 0;
  for (bool room = true; room;) {
    tick += random() >> (30 + random() % 34);
    const base::Id method = random() >> (20 + random() % 44);
    const bool enter = open.empty() || random() % 2 == 0;
    room = enter ? encoder->enter(tick, open.emplace_back(method))
                 : encoder->leave(tick, random() % 5 == 0 ? method : open.back());
    if (!enter) open.pop_back();
  }
  const base::Bytes payload = encoder->payload();
  return {payload.begin(), payload.end()};
}

struct Outcome {
  std::vector<Event> events;
  std::size_t at = 0;
  std::uint64_t tick = 0;
  std::size_t depth = 0;
};
Outcome run_from(const std::vector<std::byte>& bytes, std::size_t from, base::DigitsBy digits) {
  Frames frames;
  constexpr std::uint64_t kRate = std::uint64_t{3} << 30;
  const TickRange range{0, 0, kRate, std::uint64_t{1} << 60};
  CallRun run{bytes.data() + from, bytes.data() + bytes.size(), 0, 0, range, frames, 0};
  Outcome outcome;
  outcome.events.resize(bytes.size() + 16);
  const Event* end = decode_calls(run, outcome.events.data(),
                                  outcome.events.data() + outcome.events.size(), digits);
  outcome.events.resize(static_cast<std::size_t>(end - outcome.events.data()));
  outcome.at = static_cast<std::size_t>(run.at - bytes.data());
  outcome.tick = run.tick;
  outcome.depth = frames.depth;
  return outcome;
}

TEST(native_call_run, is_the_same_in_both_ways) {
  if (!base::has_fast_bit_extract()) GTEST_SKIP() << "the processor has one way only";
  for (unsigned seed = 1; seed < 20; ++seed) {
    const auto bytes = random_calls(seed);
    for (std::size_t from = 0; from < 200; ++from) {
      const Outcome one = run_from(bytes, from, base::DigitsBy::shifts);
      const Outcome other = run_from(bytes, from, base::DigitsBy::bit_extract);
      ASSERT_EQ(one.at, other.at);
      ASSERT_EQ(one.tick, other.tick);
      ASSERT_EQ(one.depth, other.depth);
      ASSERT_NO_FATAL_FAILURE(test::expect_equal_events(one.events, other.events));
    }
  }
}

}  // namespace
}  // namespace polytrace::format::native
