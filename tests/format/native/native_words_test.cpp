// SPDX-License-Identifier: Apache-2.0
// Words of segments, moved into a stream in parts.
#include <random>

#include "format/native_recorded.hpp"

namespace polytrace::format::native {
namespace {

TEST(native_words, come_back_as_events_whatever_the_size_of_blocks) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Recorded recorded = some_events(seed, 20'000);
    for (const std::size_t size : {300U, 5000U, 65536U}) {
      Stream stream;
      SegmentWords segment = words_of(recorded.words, recorded.words.size());
      stream.move(segment, 1, size);
      EXPECT_EQ(segment.taken(), recorded.words.size());
      ASSERT_NO_FATAL_FAILURE(expect_lines(stream, recorded.lines));
    }
  }
}

// A thread that has begun a segment goes on with it.
TEST(native_words, are_moved_while_they_are_written) {
  const Recorded recorded = some_events(9, 2000);
  Words written(recorded.words.size() + 1);
  SegmentWords segment = words_of(written, written.size());
  Stream stream;
  std::mt19937 random(1);
  for (std::size_t done = 0; done < recorded.words.size();) {
    stream.move(segment, 1, 1000);
    EXPECT_FALSE(segment.ready());
    std::size_t more = 1 + random() % 50;
    for (; more != 0 && done < recorded.words.size(); --more) {
      const std::uint64_t word = recorded.words[done];
      std::size_t all = 1;
      if ((word & 3) == 3) {
        const auto type = static_cast<Escape>(word >> kEscapeShift & 7);
        all += type == Escape::event   ? word >> kArgumentShift & kMaxArgument
               : type == Escape::alloc ? 0
                                       : 1;
      }
      for (std::size_t i = all; i-- > 0;) written[done + i] = recorded.words[done + i];
      done += all;
    }
  }
  stream.move(segment, 1, 1000);
  ASSERT_NO_FATAL_FAILURE(expect_lines(stream, recorded.lines));
}

TEST(native_words, deeper_than_frames_are_kept) {
  Recorded recorded;
  for (base::Id i = 0; i < 10'000; ++i) recorded.enter(i % 50);
  for (base::Id i = 10'000; i-- > 0;) recorded.leave(i % 50);
  Stream stream;
  SegmentWords segment = words_of(recorded.words, recorded.words.size());
  stream.move(segment, 1, 65536);
  ASSERT_NO_FATAL_FAILURE(expect_lines(stream, recorded.lines));
}

TEST(native_words, that_no_recorder_writes_end_the_segment) {
  const Words bad[]{
      {call_word(Word::enter, 1, 1), escape_word(static_cast<Escape>(5), 0, 2)},
      {call_word(Word::enter, 1, 1), escape_word(Escape::unwind, 0, 2), 5},
      {call_word(Word::enter, 1, 1), escape_word(Escape::unwind, 0, 2)},
      {call_word(Word::enter, 1, 1), escape_word(Escape::event, 1, 2), 200},
      {call_word(Word::enter, 1, 1), escape_word(Escape::event, 9, 2), 2},
      // No kind, though the rest is that of an event: its length leads far beyond the segment.
      {call_word(Word::enter, 1, 1), escape_word(Escape::event, kMaxArgument, 2) & ~3ULL,
       0x0006'03ff'ffff},
  };
  for (const Words& words : bad) {
    Stream stream;
    SegmentWords segment = words_of(words, words.size());
    stream.move(segment, 1, 1000);
    EXPECT_TRUE(segment.damaged());
    EXPECT_EQ(lines_of(stream).size(), 1U);
  }
}

}  // namespace
}  // namespace polytrace::format::native
