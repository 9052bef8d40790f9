// SPDX-License-Identifier: Apache-2.0
// What is left in segments is read behind a stream that was cut off.
#include <random>

#include "base/codes.hpp"
#include "format/native/wire/segment_records.hpp"
#include "format/native_recorded.hpp"
#include "support/mutate.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::format::native {
namespace {

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
  file.add_words(1, 7, first.words, SegmentState::full);
  file.add_words(3, 7, first.words, SegmentState::free);
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

// Damage where the words and records are, in both kinds of segments, and in the stream before.
TEST_F(native_segments, mutants_are_survived) {
  Recorded recorded = some_events(4, 400);
  recorded.words.resize(std::min<std::size_t>(recorded.words.size(), kUnit / 8 - 20));
  Bytes memory(kUnit / 2);
  RecordEncoder encoder;
  encoder.begin(memory.data(), memory.size(), kBase, base::kNoId);
  for (base::Id id = 0; encoder.event(kBase + id, id, event::Method{.name = "a method"});) ++id;
  SegmentFile file;
  file.add_words(1, 7, recorded.words);
  file.add_records(1, encoder.payload());
  Stream stream;
  SegmentWords some = words_of(recorded.words, 100);
  stream.move(some, 1, 700);
  const auto good = std::as_bytes(std::span(file.text()));
  std::mt19937_64 engine(6);
  for (int i = 0; i < 2000; ++i) {
    const Bytes bad = polytrace::test::mutate({good.begin() + kUnit, good.end()}, engine);
    SegmentFile mutant;
    mutant.add(bad);
    if (i % 10 == 0) stream.bytes = polytrace::test::mutate(stream.bytes, engine);
    const test::Whole whole = read(stream, mutant);
    ASSERT_LE(whole.events, stream.bytes.size() + bad.size());
    if (whole.open_error) continue;
    ASSERT_EQ(whole.accounted(), stream.bytes.size());
  }
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
