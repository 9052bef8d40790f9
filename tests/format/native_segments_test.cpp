// SPDX-License-Identifier: Apache-2.0
// What is left in segments is read behind a stream that was cut off.
#include <cstring>

#include "format/native/segment_records.hpp"
#include "format/native_recorded.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::format::native {
namespace {

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
