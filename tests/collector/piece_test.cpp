// SPDX-License-Identifier: Apache-2.0
#include "collector/live/piece.hpp"

#include <gtest/gtest.h>

#include "analysis/asked.hpp"
#include "base/codes.hpp"
#include "collector/keep/spool.hpp"
#include "collector/live/live_reader.hpp"
#include "collector/live/stream_work.hpp"
#include "collector/streams.hpp"
#include "event/text/text.hpp"
#include "format/format.hpp"
#include "format/native/native.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::collector {
namespace {

using event::Batch;
using U = std::uint64_t;

constexpr U kOfPiece = 0xabc;
constexpr U kCalls = 240;
constexpr std::size_t kEventsEach = 8;

// A clock, and calls of methods each of which is named right before its first.
Batch calling() {
  Batch batch;
  event::Clock clock;
  clock.wall = 1'795'651'200 * kSecond;
  test::Stream stream(batch, 1);
  stream.add(0, base::kNoId, clock);
  for (U i = 0; i < kCalls; ++i) {
    const auto time = static_cast<Time>(1000 + 10 * i);
    const base::Id method = 1 + i % 40;
    if (i < 40) stream.method(method, "M" + std::to_string(method));
    stream.add(time, method, event::Enter{}).add(time + 7, method, event::Leave{});
  }
  return batch;
}

struct Content {
  std::vector<std::string> calls{};  // as canonical text
  std::vector<std::string> named{};
  std::string note{};
  U lost = 0;
  bool whole = true;
};

Content content_of_trace(base::Bytes trace) {
  Content told;
  auto opened = format::open(base::memory_source({trace.begin(), trace.end()}));
  EXPECT_TRUE(opened);
  if (!opened) return told;
  Batch batch;
  while (opened->reader->next(batch).value_or(false)) {
    for (const event::Event& event : batch.events) {
      const std::string text = event::to_text(batch, event);
      if (event::role_of(event.kind) == event::Role::call) told.calls.push_back(text);
      if (event.kind == event::Kind::Method) told.named.push_back(text);
      if (event.kind == event::Kind::Note)
        told.note += batch.details_or<event::Note>(event, {}).text;
      if (event.kind == event::Kind::Lost)
        told.lost += batch.details_or<event::Lost>(event, {}).records;
    }
    told.whole = told.whole && batch.notices.empty();
  }
  told.whole = told.whole && opened->reader->notices().empty();
  return told;
}

// The stream with a line of the clock before some blocks: from there on ticks go another way.
std::vector<test::OwnBlock> with_clock_lines(std::vector<test::OwnBlock> blocks) {
  using format::native::BlockHeader;
  std::vector<test::OwnBlock> all;
  std::uint64_t offset = 0;
  const auto put = [&](BlockHeader header, base::Bytes payload) {
    header.index = all.size() - 1;
    seal(header, payload);
    test::OwnBlock block{header.index, offset, {}};
    const auto head = std::as_bytes(std::span(&header, 1));
    block.bytes.assign(head.begin(), head.end());
    block.bytes.insert(block.bytes.end(), payload.begin(), payload.end());
    offset += block.bytes.size();
    all.push_back(std::move(block));
  };
  Time time = 5000;
  std::uint64_t tick = 0;
  for (test::OwnBlock& block : blocks) {
    if (block.index == BlockCutter::kHeader) {
      offset = block.bytes.size();
      all.push_back(std::move(block));
      continue;
    }
    const BlockHeader header = format::native::load_header(block.bytes.data());
    if (block.index == 0 || block.index == 11 || block.index == 31) {
      const std::uint64_t rate = 1 + block.index;
      // From the next tick on: these lines do not meet.
      const std::uint64_t from = block.index == 0 ? 0 : tick + 1;
      const format::native::ClockLine line{from, time, rate << 32};
      put({.content = format::native::Content::clock}, std::as_bytes(std::span(&line, 1)));
      time += 100'000;
      tick = header.last_tick;
    }
    if (header.last_tick > tick) tick = header.last_tick;
    put(header, base::Bytes(block.bytes).subspan(sizeof header));
  }
  return all;
}

// A collector's folder with the stream in small files.
class Folder {
 public:
  Folder()
      : blocks(with_clock_lines(
            test::blocks_in(test::native_stream(kOfPiece, calling(), kEventsEach)))) {
    auto spool = Spool::open(
        {.folder = path() / "raw", .bytes = 1 << 20, .min_free = 0, .file_bytes = 1000});
    auto kept = Checkpoint::open(path() / "streams");
    StreamWork work(kOfPiece, {}, [](Rows&&) {}, &*kept);
    for (const test::OwnBlock& block : blocks) {
      EXPECT_TRUE(spool->append(kOfPiece, block.view()));
      EXPECT_TRUE(work.block(block.view()));
    }
    EXPECT_TRUE(spool->sync());
  }
  std::filesystem::path path() const { return folder_.file("collect"); }
  base::result<Piece> piece(U first, U last) const {
    return read_piece({path(), kOfPiece, first, last});
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all(std::filesystem::directory_iterator(path() / "raw"),
                                           std::filesystem::directory_iterator{});
    std::ranges::sort(all);
    return all;
  }
  U last_block() const { return blocks.back().index; }
  // What a reader of the whole says of the blocks' calls.
  std::vector<std::string> calls_of(U first, U last) const {
    std::vector<std::string> calls;
    LiveReader reader(kOfPiece);
    for (const test::OwnBlock& block : blocks) {
      if (block.index == BlockCutter::kHeader) continue;
      const bool is_asked = block.index >= first && block.index <= last;
      reader.read(block.bytes, [&](const Batch& batch) {
        for (const event::Event& event : batch.events)
          if (is_asked && event::role_of(event.kind) == event::Role::call)
            calls.push_back(event::to_text(batch, event));
      });
    }
    return calls;
  }

  std::vector<test::OwnBlock> blocks;

 private:
  test::TemporaryFolder folder_;
};

// Up to those that are had it is the same trace; behind them only its end is missing.
TEST(piece, leaves_out_what_is_had_already) {
  const Folder folder;
  const auto whole = folder.piece(20, 30);
  const auto rest = read_piece({folder.path(), kOfPiece, 20, 30, HadBlocks{25, 30, 6}});
  ASSERT_TRUE(whole && rest);
  EXPECT_EQ(whole->blocks, 11U);
  EXPECT_EQ(rest->blocks, 5U);
  EXPECT_EQ(rest->note, whole->note);
  const std::size_t own = rest->trace.size() - sizeof(format::native::BlockHeader);
  ASSERT_LT(own, whole->trace.size());
  EXPECT_TRUE(std::equal(rest->trace.begin(), rest->trace.begin() + static_cast<long>(own),
                         whole->trace.begin()));
  for (const HadBlocks& other : {HadBlocks{25, 30, 5}, HadBlocks{25, 29, 5}, HadBlocks{26, 30, 6}})
    EXPECT_EQ(read_piece({folder.path(), kOfPiece, 20, 30, other}).error().code, base::Code::usage);
}

TEST(piece, has_the_blocks_asked_for_and_the_names_of_all_before) {
  const Folder folder;
  const auto piece = folder.piece(20, 25);
  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->blocks, 6U);
  EXPECT_EQ(piece->gone, "");
  const Content told = content_of_trace(piece->trace);
  EXPECT_TRUE(told.whole);
  EXPECT_EQ(told.calls, folder.calls_of(20, 25));
  EXPECT_FALSE(told.calls.empty());
  EXPECT_EQ(told.named.size(), 40U);  // each once
  EXPECT_EQ(told.note, "blocks 20 to 25 of stream 0000000000000abc");
  EXPECT_EQ(told.lost, 0U);
}

TEST(piece, of_the_beginning_has_no_name_twice_and_its_end_is_told) {
  const Folder folder;
  const U last = folder.last_block();
  const auto piece = folder.piece(0, last + 3);
  ASSERT_TRUE(piece);
  const Content told = content_of_trace(piece->trace);
  EXPECT_TRUE(told.whole);
  EXPECT_EQ(told.calls.size(), 2 * kCalls);
  EXPECT_EQ(told.named.size(), 40U);
  EXPECT_NE(told.note.find("; not there: " + std::to_string(last + 1)), told.note.npos);
  EXPECT_EQ(told.lost, 0U);
}

TEST(piece, tells_what_the_spool_has_dropped) {
  const Folder folder;
  const auto files = folder.files();
  ASSERT_GT(files.size(), 4U);
  for (std::size_t i = 0; i + 2 < files.size(); ++i) std::filesystem::remove(files[i]);
  const U last = folder.last_block();
  const auto piece = folder.piece(0, last);
  ASSERT_TRUE(piece);
  const U kept = piece->blocks;
  EXPECT_LT(kept, last + 1);
  EXPECT_EQ(piece->gone, "0 to " + std::to_string(last - kept));
  const Content told = content_of_trace(piece->trace);
  EXPECT_TRUE(told.whole);
  EXPECT_EQ(told.lost, last + 1 - kept);
  EXPECT_EQ(told.calls, folder.calls_of(last + 1 - kept, last));
  EXPECT_EQ(told.named.size(), 40U);
  EXPECT_NE(told.note.find("no longer in the spool: " + piece->gone), told.note.npos);
  const auto none = folder.piece(1, 2);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().detail.find("nearest is " + std::to_string(last + 1 - kept)),
            std::string::npos)
      << none.error().detail;
}

TEST(piece, too_much_or_of_no_folder_is_refused) {
  const Folder folder;
  EXPECT_EQ(folder.piece(9, 8).error().code, base::Code::usage);
  EXPECT_EQ(folder.piece(0, kMostPieceBlocks).error().code, base::Code::usage);
  const auto path = folder.path() / "nowhere";
  EXPECT_EQ(read_piece({path, kOfPiece, 0, 1}).error().code, base::Code::open_failed);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(read_piece({folder.path(), kOfPiece + 1, 0, 1}));
}

// Whatever is damaged: what a piece has of calls was in the stream, and what is missing is told.
TEST(piece, of_damaged_files_holds_nothing_else) {
  const Folder folder;
  const std::vector<std::string> all = folder.calls_of(0, folder.last_block());
  for (const auto& file :
       {folder.files()[1], folder.path() / "streams/0000000000000abc.definitions"}) {
    const std::string whole = test::content_of(file.string());
    for (std::size_t at = 0; at < whole.size(); at += 7) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
      std::ofstream(file, std::ios::binary) << bytes;
      const auto piece = folder.piece(2, 12);
      ASSERT_TRUE(piece);
      const Content told = content_of_trace(piece->trace);
      EXPECT_TRUE(told.whole);
      EXPECT_EQ(piece->blocks + told.lost, 11U) << at;
      const bool is_right = std::ranges::all_of(told.calls, [&](const std::string& call) {
        return std::ranges::find(all, call) != all.end();
      });
      EXPECT_TRUE(is_right || told.note.find("times may be wrong") != told.note.npos) << at;
      EXPECT_TRUE(is_right || file.extension() == ".definitions") << at;
    }
    std::ofstream(file, std::ios::binary) << whole;
  }
}

}  // namespace
}  // namespace polytrace::collector
