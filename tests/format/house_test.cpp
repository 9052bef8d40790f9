// SPDX-License-Identifier: Apache-2.0
// What holds for every format in the list, without knowing any of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <sstream>

#include "base/codes.hpp"
#include "base/io/sink.hpp"
#include "event/copy.hpp"
#include "event/text/text.hpp"
#include "format/case_file.hpp"
#include "format/samples.hpp"
#include "format/whole.hpp"
#include "support/long.hpp"
#include "support/random.hpp"

namespace polytrace::format::test {
namespace {

using Bytes = std::vector<std::byte>;
using Lines = std::vector<std::string>;

// One file for each kind of event that the format holds, with a few of that kind.
std::vector<Bytes> written_files(const Format& format) {
  std::vector<Bytes> files;
  for (std::size_t i = 0; i < event::kKindCount; ++i) {
    const auto kind = static_cast<event::Kind>(i);
    if (!format.holds(kind, format.write_versions[0])) continue;
    polytrace::test::RandomEvents random(i);
    event::Batch batch;
    for (int count = 0; count < 3; ++count) random.add(batch, kind);
    auto writer = format.create(base::memory_sink(files.emplace_back()), {});
    if (!writer || !(*writer)->write(batch) || !(*writer)->finish()) files.pop_back();
  }
  return files;
}

// The files of the cases that open: small, and every kind of record is in one of them. A format
// that has no cases yet is held to the same by what it writes. `with_end`: without those whose end
// nothing marks.
std::vector<Bytes> small_files(const Format& format, bool with_end = false) {
  std::vector<Bytes> files;
  for (const CaseFile& file : case_files(format.name)) {
    if (with_end && file.name().starts_with("length-")) continue;
    const auto loaded = load_case(file);
    if (loaded && !loaded->error) files.push_back(loaded->bytes);
  }
  if (files.empty() && format.create != nullptr) return written_files(format);
  return files;
}

// How far from one tried place to the next: all are with POLYTRACE_LONG, else about `most` of all
// files together, as sanitizers take milliseconds for each. It is odd: all bits of a byte come up.
std::size_t step_of(const std::vector<Bytes>& files, std::size_t places_a_byte, std::size_t most) {
  std::size_t bytes = 0;
  for (const Bytes& file : files) bytes += file.size();
  return polytrace::test::is_long() ? 1 : bytes * places_a_byte / most | 1;
}

Bytes cut(const Bytes& bytes, std::size_t size) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

class house : public testing::TestWithParam<const Format*> {};

TEST_P(house, has_small_files) { EXPECT_GT(small_files(*GetParam()).size(), 10U); }

// Objects of heap dumps that stand before their classes wait for them and come last, and are other
// objects where the cut took the classes away.
Lines without_waiting(const Format& format, Lines lines) {
  const auto waits = [](const std::string& line) {
    return line.find(" dump_object ") != line.npos;
  };
  if (format.name == "hprof") std::erase_if(lines, waits);
  return lines;
}

// Whole frames before the cut are read, the rest is told.
TEST_P(house, every_truncation_is_told) {
  const std::vector<Bytes> files = small_files(*GetParam(), true);
  const std::size_t step = step_of(files, 1, 800);
  for (const Bytes& file : files) {
    const Lines all = without_waiting(*GetParam(), without_header(read_whole(file).lines));
    for (std::size_t size = 0; size < file.size(); size += step) {
      const Whole whole = read_whole(cut(file, size));
      if (whole.open_error) continue;
      ASSERT_EQ(whole.accounted(), size);
      const Lines some = without_waiting(*GetParam(), without_header(whole.lines));
      ASSERT_LE(some.size(), all.size());
      ASSERT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << size;
    }
  }
}

TEST_P(house, every_flipped_bit_is_survived) {
  std::vector<Bytes> files = small_files(*GetParam());
  const std::size_t step = step_of(files, 8, 1'500);
  for (Bytes& file : files) {
    for (std::size_t bit = 0; bit < file.size() * 8; bit += step) {
      const auto mask = static_cast<std::byte>(1U << (bit % 8));
      file[bit / 8] ^= mask;
      const Whole whole = read_whole(file, {.resync = bit / step % 2 == 0, .text = false});
      file[bit / 8] ^= mask;
      if (whole.open_error) continue;
      ASSERT_EQ(whole.accounted(), file.size()) << "bit " << bit;
      ASSERT_LE(whole.events, file.size() + 2) << "bit " << bit;
    }
  }
}

TEST_P(house, every_split_of_the_input_reads_the_same) {
  const std::vector<Bytes> files = small_files(*GetParam());
  const std::size_t step = step_of(files, 1, 500);
  for (const Bytes& file : files) {
    const Whole all = read_whole(file);
    const auto expect_same = [&](const Whole& whole, std::size_t at) {
      ASSERT_EQ(whole.lines, all.lines) << at;
      ASSERT_EQ(whole.notices.bytes_lost(), all.notices.bytes_lost()) << at;
    };
    for (std::size_t at = 1; at < file.size(); at += step) {
      expect_same(read_whole(file, {.step = at}), at);
      Bytes rest(file.begin() + static_cast<std::ptrdiff_t>(at), file.end());
      expect_same(read_whole(base::prepend(cut(file, at), base::memory_source(rest))), at);
    }
  }
}

Bytes gzip(const Bytes& bytes) {
  Bytes packed;
  const auto sink = base::gzip_sink(base::memory_sink(packed));
  EXPECT_TRUE(sink->write(bytes) && sink->commit());
  return packed;
}

TEST_P(house, compressed_file_reads_the_same) {
  for (const Bytes& file : small_files(*GetParam()))
    EXPECT_EQ(read_whole(*base::unwrap(base::memory_source(gzip(file)))).lines,
              read_whole(file).lines);
}

TEST_P(house, cut_compressed_file_is_told) {
  const Bytes packed = gzip(small_files(*GetParam())[0]);
  const Whole whole =
      read_whole(*base::unwrap(base::memory_source(cut(packed, packed.size() - 1))));
  ASSERT_FALSE(whole.open_error);
  EXPECT_NE(whole.notices.find(base::Code::compressed_truncated), nullptr);
}

TEST_P(house, damaged_compressed_file_is_told) {
  Bytes packed = gzip(small_files(*GetParam())[0]);
  packed[packed.size() - 6] ^= std::byte{0xff};  // in the check sum
  const Whole whole = read_whole(*base::unwrap(base::memory_source(packed)));
  ASSERT_FALSE(whole.open_error);
  EXPECT_NE(whole.notices.find(base::Code::compressed_damaged), nullptr);
}

TEST_P(house, no_other_format_claims_its_files) {
  std::vector<Bytes> files = small_files(*GetParam());
  for (const Sample& sample : samples(GetParam()->name, GetParam()->suffix))
    files.push_back(content(sample));
  for (const Bytes& file : files) {
    const base::Bytes head = base::Bytes(file).first(std::min(file.size(), kHeadBytes));
    for (const Format* format : formats()) EXPECT_EQ(format->recognise(head), format == GetParam());
  }
}

TEST_P(house, random_bytes_are_not_its) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 10'000; ++i) {
    Bytes head(kHeadBytes);
    for (std::byte& byte : head) byte = static_cast<std::byte>(engine());
    EXPECT_FALSE(GetParam()->recognise(head));
  }
}

// --- writing ---

bool tells_header(const event::Event& event) {
  return event.kind == event::Kind::Process || event.kind == event::Kind::Clock;
}

struct WrittenTrace {
  event::Batch batch;  // as read again
  event::Loss loss;
};

void write_and_read(const Format& format, std::string_view version, const event::Batch& batch,
                    WrittenTrace& result) {
  Bytes bytes;
  auto writer = format.create(base::memory_sink(bytes), {std::string(version)});
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write(batch));
  ASSERT_TRUE((*writer)->finish());
  result.loss = (*writer)->loss();
  auto reader = format.open(base::memory_source(std::move(bytes)), {});
  ASSERT_TRUE(reader) << base::to_text(reader.error());
  event::Batch piece;
  for (;;) {
    const auto more = (*reader)->next(piece);
    ASSERT_TRUE(more) << base::to_text(more.error());
    if (!*more) break;
    for (const event::Event& event : piece.events) event::copy_event(piece, event, result.batch);
  }
}

// Null and "not told" are one where a format has no other way to say it: an absent id reads as 0,
// an absent list as an empty one.
std::string without_nulls(const std::string& line) {
  std::string kept;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at + 1), line.size());
    const std::string word = line.substr(at, end - at);
    if (!word.ends_with("=0x0") && !word.ends_with("=[]") && !word.ends_with("=0")) kept += word;
    at = end;
  }
  return kept;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// Whether `got` says all that `line` says, in its order. A writer may complete what was not told.
bool says_all(const std::string& got, const std::string& line) {
  const Lines all = words(got);
  auto at = all.begin();
  for (const std::string& word : words(line)) {
    at = std::find(at, all.end(), word);
    if (at == all.end()) return false;
    ++at;
  }
  return true;
}

// An event comes back with all that it said, or the writer said that it or a part of it was lost.
void expect_honest(const Format& format, std::string_view version, event::Kind kind) {
  polytrace::test::RandomEvents random(static_cast<std::uint64_t>(kind));
  event::Batch batch;
  for (int i = 0; i < 300; ++i) {
    batch.clear();
    random.add(batch, kind);
    const std::string line = without_nulls(event::to_text(batch, batch.events[0]));
    WrittenTrace written;
    write_and_read(format, version, batch, written);
    if (written.loss.total() > 0) continue;
    std::string got;
    bool found = false;
    for (const event::Event& event : written.batch.events) {
      if (tells_header(event)) continue;
      got += without_nulls(event::to_text(written.batch, event)) + "\n";
      found = found || says_all(without_nulls(event::to_text(written.batch, event)), line);
    }
    ASSERT_TRUE(found) << "version " << version << "\n" << line << "\n" << got;
  }
}

TEST_P(house, what_is_written_comes_back_or_is_told_lost) {
  for (const std::string_view version : GetParam()->write_versions) {
    for (std::size_t i = 0; i < event::kKindCount; ++i) {
      const auto kind = static_cast<event::Kind>(i);
      if (kind != event::Kind::Process && kind != event::Kind::Clock)
        expect_honest(*GetParam(), version, kind);
    }
  }
}

TEST_P(house, kinds_that_are_not_held_are_told_lost) {
  for (const std::string_view version : GetParam()->write_versions) {
    for (std::size_t i = 0; i < event::kKindCount; ++i) {
      const auto kind = static_cast<event::Kind>(i);
      if (GetParam()->holds(kind, version)) continue;
      polytrace::test::RandomEvents random(i);
      event::Batch batch;
      random.add(batch, kind);
      WrittenTrace written;
      write_and_read(*GetParam(), version, batch, written);
      EXPECT_EQ(written.loss.events[i], 1U) << event::describe(kind).name << " in " << version;
    }
  }
}

// Any events: what comes back can be written and comes back the same.
TEST_P(house, second_round_of_random_events_is_identity) {
  for (const std::string_view version : GetParam()->write_versions) {
    polytrace::test::RandomEvents random(77);
    Lines lines;
    event::Batch batch;
    for (int i = 0; i < 5000; ++i) random.add_any(batch);
    for (const event::Event& event : batch.events) lines.push_back(event::to_text(batch, event));
    const auto first = write_lines(*GetParam(), version, lines);
    ASSERT_TRUE(first);
    const Whole once = read_whole(first->bytes);
    // Events without rhyme or reason may read as odd ones, but none is missing.
    EXPECT_EQ(once.notices.exit_code(), 0);
    EXPECT_EQ(once.notices.bytes_lost(), 0U);
    EXPECT_GT(once.lines.size(), 500U);
    const auto second = write_lines(*GetParam(), version, once.lines);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->loss.total(), 0U);
    const Whole twice = read_whole(second->bytes);
    ASSERT_EQ(twice.lines.size(), once.lines.size());
    for (std::size_t i = 0; i < once.lines.size(); ++i) ASSERT_EQ(twice.lines[i], once.lines[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(formats, house, testing::ValuesIn(formats().begin(), formats().end()),
                         [](const auto& parameter) { return std::string(parameter.param->name); });

}  // namespace
}  // namespace polytrace::format::test
