// SPDX-License-Identifier: Apache-2.0
// What agents write, without an agent: words and records of segments, moved into a stream in parts,
// and what is left of them read again behind a stream that was cut off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "format/native/sealing.hpp"
#include "format/native/segment_records.hpp"
#include "format/native/words.hpp"
#include "format/whole.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::format::native {
namespace {

using Bytes = std::vector<std::byte>;
using Lines = std::vector<std::string>;
using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t kStream = 77;
constexpr std::uint64_t kBase = 1'000'000;

void append(Bytes& to, base::Bytes bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

// Events of a segment, with what each says in canonical text.
class Recorded {
 public:
  Words words;
  Lines lines;

  void enter(base::Id method) {
    pass();
    words.push_back(call_word(Word::kEnter, method, ticks_));
    say(fmt::format("enter method={:#x}", method));
  }
  void leave(base::Id method) {
    pass();
    words.push_back(call_word(Word::kLeave, method, ticks_));
    say(fmt::format("leave method={:#x}", method));
  }
  void unwind(base::Id method) {
    pass();
    escape(Escape::kUnwind, 0, {method | kFollows});
    say(fmt::format("unwind method={:#x}", method));
  }
  void thread(base::Id thread) {
    escape(Escape::kThread, 0, {thread | kFollows});
    thread_ = thread;
  }
  void alloc(std::uint64_t site) {
    pass();
    escape(Escape::kAlloc, site, {});
    say("alloc");
  }
  void alloc_array(std::uint64_t site, std::uint64_t length) {
    pass();
    escape(Escape::kAllocArray, site, {length | kFollows});
    say("alloc");
  }
  void note(std::string_view text) {
    pass();
    std::byte memory[256]{};
    ByteOutput body(memory + 1, sizeof memory - 1);
    encode_body(body, base::kNoId, event::Note{text});
    memory[0] = static_cast<std::byte>(body.size());
    Words more((body.size() + 8) / 8);
    std::memcpy(more.data(), memory, more.size() * 8);
    escape(Escape::kEvent, more.size(), more);
    say(fmt::format("note text=\"{}\"", text));
  }
  // A back step of the clock, of other threads for example.
  void back(std::uint64_t ticks) { ticks_ -= ticks; }
  void wait(std::uint64_t ticks) { ticks_ += ticks; }

 private:
  void pass() { ticks_ += ticks_ % 97; }
  void escape(Escape type, std::uint64_t argument, const Words& more) {
    words.push_back(escape_word(type, argument, ticks_));
    words.insert(words.end(), more.begin(), more.end());
  }
  void say(const std::string& what) {
    lines.push_back(fmt::format("{} {:#x} {}", kBase + ticks_, thread_, what));
  }

  std::uint64_t ticks_ = 1;
  base::Id thread_ = 7;
};

Recorded some_events(unsigned seed, int count) {
  std::mt19937 random(seed);
  Recorded recorded;
  std::vector<base::Id> open;
  for (int i = 0; i < count; ++i) {
    const auto what = static_cast<unsigned>(random() % 40);
    const base::Id method = random() % 3 == 0 ? random() & kMaxMethod : random() % 100;
    if (what == 0) recorded.unwind(method);
    else if (what == 1) recorded.thread(random() % 3);
    else if (what == 2) recorded.alloc(random() & kMaxArgument);
    else if (what == 3) recorded.alloc_array(random() & kMaxArgument, random());
    else if (what == 4) recorded.note(std::string(1 + random() % 99, 'x'));
    else if (what == 5 && i > 100) recorded.back(1);
    else if (what == 6) recorded.wait(random() % (std::uint64_t{1} << 28));
    else if (what < 23 || open.empty()) recorded.enter(open.emplace_back(method));
    else if (what < 38) recorded.leave(open.back()), open.pop_back();
    else recorded.leave(method);
  }
  return recorded;
}

// A stream as an agent writes it.
class Stream {
 public:
  Bytes bytes;

  Stream() {
    StreamHeader header;
    header.stream = kStream;
    seal(header);
    append(bytes, std::as_bytes(std::span(&header, 1)));
  }
  // Moves what is there into blocks of at most so many bytes.
  template <class Segment>
  void move(Segment& segment, std::uint64_t number, std::size_t block_bytes) {
    Bytes memory(block_bytes);
    auto encoder = std::make_unique<RecordEncoder>();
    while (segment.ready()) {
      encoder->begin(memory.data(), memory.size(), segment.next_tick(), segment.owner());
      BlockHeader header;
      header.words_before = segment.taken();
      ASSERT_TRUE(segment.move_to(*encoder));
      encoder->describe(header);
      header.segment = number;
      header.words_after = segment.taken();
      put(header, encoder->payload());
    }
  }
  void end() {
    BlockHeader header;
    header.content = Content::kEnd;
    put(header, {});
  }

 private:
  void put(BlockHeader& header, base::Bytes payload) {
    header.index = blocks_++;
    seal(header, payload);
    append(bytes, std::as_bytes(std::span(&header, 1)));
    append(bytes, payload);
  }
  std::uint64_t blocks_ = 0;
};

SegmentWords words_of(const Words& words, std::size_t count, base::Id thread = 7) {
  return {words.data(), static_cast<std::uint32_t>(count), kBase, thread};
}

// An unknown site is no fault of these streams.
Lines lines_of(Stream& stream) {
  stream.end();
  const test::Whole whole = test::read_whole(stream.bytes);
  EXPECT_FALSE(whole.open_error);
  EXPECT_EQ(whole.notices.exit_code(), 0);
  EXPECT_EQ(whole.notices.find(base::Code::events_differ), nullptr);
  EXPECT_EQ(whole.accounted(), stream.bytes.size());
  return whole.lines;
}

void expect_lines(Stream& stream, const Lines& lines) {
  const Lines got = lines_of(stream);
  ASSERT_EQ(got.size(), lines.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], lines[i]) << i;
}

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
        all += type == Escape::kEvent   ? word >> kArgumentShift & kMaxArgument
               : type == Escape::kAlloc ? 0
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
      {call_word(Word::kEnter, 1, 1), escape_word(static_cast<Escape>(5), 0, 2)},
      {call_word(Word::kEnter, 1, 1), escape_word(Escape::kUnwind, 0, 2), 5},
      {call_word(Word::kEnter, 1, 1), escape_word(Escape::kUnwind, 0, 2)},
      {call_word(Word::kEnter, 1, 1), escape_word(Escape::kEvent, 1, 2), 200},
      {call_word(Word::kEnter, 1, 1), escape_word(Escape::kEvent, 9, 2), 2},
  };
  for (const Words& words : bad) {
    Stream stream;
    SegmentWords segment = words_of(words, words.size());
    stream.move(segment, 1, 1000);
    EXPECT_TRUE(segment.damaged());
    EXPECT_EQ(lines_of(stream).size(), 1U);
  }
}

// --- what is left in segments ---

class SegmentFile {
 public:
  explicit SegmentFile(std::uint64_t stream = kStream) {
    SegmentsHeader header;
    header.stream = stream;
    add(std::as_bytes(std::span(&header, 1)));
  }
  void add_words(std::uint64_t number, base::Id thread, const Words& words,
                 SegmentState state = SegmentState::kOpen) {
    add_segment({.state = state,
                 .content = SegmentContent::kWords,
                 .thread = thread,
                 .number = number,
                 .base_tick = kBase},
                std::as_bytes(std::span(words)));
  }
  void add_records(std::uint64_t number, base::Bytes records) {
    add_segment({.state = SegmentState::kOpen,
                 .content = SegmentContent::kRecords,
                 .number = number,
                 .base_tick = kBase,
                 .bytes = static_cast<std::uint32_t>(records.size())},
                records);
  }
  void add(base::Bytes unit) {
    append(bytes_, unit);
    bytes_.resize((bytes_.size() + kUnit - 1) / kUnit * kUnit);
  }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  void add_segment(SegmentHeader header, base::Bytes content) {
    Bytes all(sizeof header);
    append(all, content);
    header.units = static_cast<std::uint32_t>((all.size() + kUnit) / kUnit);
    std::memcpy(all.data(), &header, sizeof header);
    all.resize(header.units * kUnit);
    add(all);
  }
  Bytes bytes_;
};

class native_segments : public testing::Test {
 protected:
  std::string write(std::string_view name, const Bytes& bytes) {
    return folder_.write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  test::Whole read(const Stream& stream, const SegmentFile& segments) {
    folder_.write("s.ptrace.segments", segments.text());
    return test::read_whole(*base::open_source(write("s.ptrace", stream.bytes)));
  }
  polytrace::test::TemporaryFolder folder_;
};

TEST_F(native_segments, give_each_event_once) {
  const Recorded recorded = some_events(3, 3000);
  for (const std::size_t part : {0U, 1U, 500U, 2000U}) {
    Stream stream;
    SegmentWords limited = words_of(recorded.words, part);
    stream.move(limited, 1, 700);
    SegmentFile file;
    file.add_words(1, 7, recorded.words);
    const test::Whole whole = read(stream, file);
    ASSERT_EQ(whole.lines, recorded.lines) << part;
    EXPECT_EQ(whole.notices.exit_code(), 0);
    EXPECT_EQ(whole.accounted(), stream.bytes.size());
    const base::Notice* notice = whole.notices.find(base::Code::segments_read);
    ASSERT_NE(notice, nullptr);
    const std::size_t before = test::read_whole(stream.bytes).lines.size();
    EXPECT_EQ(notice->detail, fmt::format("{} events", recorded.lines.size() - before));
  }
}

TEST_F(native_segments, come_definitions_first_then_by_number) {
  Recorded first;
  first.enter(1);
  Recorded second;
  second.enter(2);
  std::byte memory[200];
  RecordEncoder encoder;
  encoder.begin(memory, sizeof memory, kBase, base::kNoId);
  encoder.event(kBase, 5, event::Method{.name = "m"});
  const std::size_t taken = encoder.payload().size();
  encoder.thread(3);
  encoder.event(kBase - 2, 6, event::Method{.name = "n"});
  encoder.event(kBase + 2, 7, event::Method{.name = "o"});

  Stream stream;
  SegmentRecords records(memory, kBase, base::kNoId);
  records.set_complete(static_cast<std::uint32_t>(taken));
  stream.move(records, 1 | kFromRecords, 1000);
  SegmentFile file;
  file.add_words(2, 7, second.words);
  file.add_words(1, 7, first.words, SegmentState::kFull);
  file.add_words(3, 7, first.words, SegmentState::kFree);
  file.add(Bytes(100, std::byte{1}));  // a unit that is no segment
  file.add_records(1, encoder.payload());
  const test::Whole whole = read(stream, file);
  EXPECT_EQ(
      whole.lines,
      (Lines{"1000000 - method method=0x5 name=\"m\"", "999998 0x3 method method=0x6 name=\"n\"",
             "1000002 0x3 method method=0x7 name=\"o\"", first.lines[0], second.lines[0]}));
}

TEST_F(native_segments, of_another_stream_are_left_alone) {
  const Recorded recorded = some_events(3, 10);
  SegmentFile file(kStream + 1);
  file.add_words(1, 7, recorded.words);
  const test::Whole whole = read(Stream(), file);
  EXPECT_TRUE(whole.lines.empty());
  const base::Notice* notice = whole.notices.find(base::Code::end_missing);
  ASSERT_NE(notice, nullptr);
  EXPECT_EQ(notice->detail, "it is the segment file of another stream");
}

TEST_F(native_segments, are_not_asked_behind_an_end) {
  const Recorded recorded = some_events(3, 10);
  SegmentFile file;
  file.add_words(1, 7, recorded.words);
  Stream stream;
  stream.end();
  const test::Whole whole = read(stream, file);
  EXPECT_TRUE(whole.lines.empty());
  EXPECT_TRUE(whole.notices.empty());
}

// Whatever stands in the file: no crash, and every unit is asked once.
TEST_F(native_segments, damaged_anywhere_are_survived) {
  Recorded recorded = some_events(3, 300);
  recorded.words.resize(std::min<std::size_t>(recorded.words.size(), 400));
  SegmentFile file;
  file.add_words(1, 7, recorded.words);
  file.add_words(2, 7, recorded.words);
  std::mt19937 random(5);
  int told = 0;
  const std::string good(file.text());
  const std::string path = write("s.ptrace", Stream().bytes);
  for (int i = 0; i < 500; ++i) {
    std::string bad = good;
    for (int hit = 0; hit < 4; ++hit) {
      const std::size_t unit = (random() % 3) * kUnit;
      bad[(unit + random() % 200) % bad.size()] ^= static_cast<char>(1U << (random() % 8));
    }
    if (i % 5 == 0) bad.resize(random() % bad.size());
    folder_.write("s.ptrace.segments", bad);
    const test::Whole whole = test::read_whole(*base::open_source(path));
    ASSERT_LE(whole.events, 2 * recorded.words.size());
    told += whole.notices.find(base::Code::segments_damaged) != nullptr ? 1 : 0;
  }
  EXPECT_GT(told, 10);
}

TEST_F(native_segments, are_found_where_they_are_asked_for) {
  const Recorded recorded = some_events(4, 10);
  SegmentFile file;
  file.add_words(1, 7, recorded.words);
  event::ReadOptions options;
  options.segments = folder_.write("elsewhere", file.text());
  auto opened = open(base::memory_source(Stream().bytes), options);
  ASSERT_TRUE(opened);
  std::size_t events = 0;
  for (event::Batch batch; *opened->reader->next(batch);) events += batch.events.size();
  EXPECT_EQ(events, recorded.lines.size());

  options.segments = folder_.file("nowhere");
  auto without = open(base::memory_source(Stream().bytes), options);
  ASSERT_TRUE(without);
  event::Batch batch;
  EXPECT_FALSE(without->reader->next(batch));
}

}  // namespace
}  // namespace polytrace::format::native
