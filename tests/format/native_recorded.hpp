// SPDX-License-Identifier: Apache-2.0
// What agents write, without an agent: words and records of segments, and the stream they are moved
// into.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "base/codes.hpp"
#include "format/native/wire/sealing.hpp"
#include "format/native/wire/words.hpp"
#include "format/whole.hpp"

namespace polytrace::format::native {

using Bytes = std::vector<std::byte>;
using Lines = std::vector<std::string>;
using Words = std::vector<std::uint64_t>;

inline constexpr std::uint64_t kStream = 77;
inline constexpr std::uint64_t kBase = 1'000'000;

inline void append(Bytes& to, base::Bytes bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// Events of a segment, with what each says in canonical text.
class Recorded {
 public:
  Words words;
  Lines lines;

  void enter(base::Id method) {
    pass();
    words.push_back(call_word(Word::enter, method, ticks_));
    say(fmt::format("enter method={:#x}", method));
  }
  void leave(base::Id method) {
    pass();
    words.push_back(call_word(Word::leave, method, ticks_));
    say(fmt::format("leave method={:#x}", method));
  }
  void unwind(base::Id method) {
    pass();
    escape(Escape::unwind, 0, {method | kFollows});
    say(fmt::format("unwind method={:#x}", method));
  }
  void thread(base::Id thread) {
    escape(Escape::thread, 0, {thread | kFollows});
    thread_ = thread;
  }
  void alloc(std::uint64_t site) {
    pass();
    escape(Escape::alloc, site, {});
    say("alloc");
  }
  void alloc_array(std::uint64_t site, std::uint64_t length) {
    pass();
    escape(Escape::alloc_array, site, {length | kFollows});
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
    escape(Escape::event, more.size(), more);
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

inline Recorded some_events(unsigned seed, int count) {
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
    header.content = Content::end;
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

inline SegmentWords words_of(const Words& words, std::size_t count, base::Id thread = 7) {
  return {words.data(), static_cast<std::uint32_t>(count), kBase, thread};
}

// An unknown site is no fault of these streams.
inline Lines lines_of(Stream& stream) {
  stream.end();
  const test::Whole whole = test::read_whole(stream.bytes);
  EXPECT_FALSE(whole.open_error);
  EXPECT_EQ(whole.notices.exit_code(), 0);
  EXPECT_EQ(whole.notices.find(base::Code::events_differ), nullptr);
  EXPECT_EQ(whole.accounted(), stream.bytes.size());
  return whole.lines;
}

inline void expect_lines(Stream& stream, const Lines& lines) {
  const Lines got = lines_of(stream);
  ASSERT_EQ(got.size(), lines.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], lines[i]) << i;
}

// A segment file as an agent leaves it.
class SegmentFile {
 public:
  explicit SegmentFile(std::uint64_t stream = kStream) {
    SegmentsHeader header;
    header.stream = stream;
    add(std::as_bytes(std::span(&header, 1)));
  }
  void add_words(std::uint64_t number, base::Id thread, const Words& words,
                 SegmentState state = SegmentState::open) {
    add_segment({.state = state,
                 .content = SegmentContent::words,
                 .thread = thread,
                 .number = number,
                 .base_tick = kBase},
                std::as_bytes(std::span(words)));
  }
  void add_records(std::uint64_t number, base::Bytes records) {
    add_segment({.state = SegmentState::open,
                 .content = SegmentContent::records,
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

}  // namespace polytrace::format::native
