// SPDX-License-Identifier: Apache-2.0
// What a recording for a collector gives back of its file, and what clients get of the rest.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <numeric>

#include "agent/common/recording.hpp"
#include "agent/control/recorder_handler.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::agent::control {
namespace {

namespace native = format::native;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Block {
  std::uint64_t at, end;
  native::BlockHeader header;
  bool calls() const {
    return header.content == native::Content::events && (header.segment >> 63) == 0;
  }
};

// By the format's description.
std::vector<Block> blocks_of(const std::string& bytes) {
  std::vector<Block> blocks;
  for (std::uint64_t at = sizeof(native::StreamHeader); at < bytes.size();) {
    Block block{at, 0, {}};
    EXPECT_LE(at + sizeof block.header, bytes.size());
    std::memcpy(&block.header, bytes.data() + at, sizeof block.header);
    EXPECT_EQ(block.header.mark, native::kBlockMark) << at;
    if (block.header.mark != native::kBlockMark) break;
    block.end = at + sizeof block.header + block.header.length;
    at = block.end;
    blocks.push_back(block);
  }
  return blocks;
}

std::uint64_t events_of(const std::vector<Block>& blocks) {
  return std::accumulate(
      blocks.begin(), blocks.end(), std::uint64_t{0},
      [](std::uint64_t sum, const Block& block) { return sum + block.header.events; });
}

// So many blocks of calls with a definition before each.
void record_blocks(int count) {
  name_thread(1);
  for (int i = 0; i < count; ++i) {
    const std::string text = std::to_string(i);
    define(event::Note{text}, base::kNoId);
    for (int calls = 0; calls < 500; ++calls) {
      enter(1);
      leave(1);
    }
    ASSERT_TRUE(Recorder::the().flush(test::kPatience));
  }
}

// Asked of the disk, not of us.
bool disk_gives_back() {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("hole", std::string(8192, 'x'));
  const Descriptor file(open(path.c_str(), O_RDWR));
  return fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 100, 50) == 0;
}

Options options_of(std::string_view text) {
  Faults faults;
  Options options = parse_options(text, faults);
  EXPECT_TRUE(faults.empty());
  return options;
}

std::string taken(Handler& handler, std::uint64_t from = 0) {
  Feed feed(handler, StreamFormat::native, from);
  std::string all;
  std::uint8_t portion[333];
  while (const std::size_t got = feed.take(portion))
    all.append(reinterpret_cast<const char*>(portion), got);
  return all;
}

TEST(control_trimmer, drops_whole_blocks_and_keeps_what_explains_the_rest) {
  if (!disk_gives_back()) GTEST_SKIP() << "this disk gives nothing back";
  test::Recording recording("flush=60s");
  record_blocks(40);
  const std::string before = bytes_of(recording.file());
  const std::vector<Block> blocks = blocks_of(before);
  const std::uint64_t limit = blocks[blocks.size() / 2].at + 1;
  const std::uint64_t pin = blocks[11].at + 1;
  ASSERT_TRUE(blocks[11].calls() || blocks[12].calls());
  const Descriptor file(open(recording.file().c_str(), O_RDWR));
  Trimmer trimmer;
  trimmer.begin(file.get());
  const std::uint64_t pins[] = {pin, blocks[12].at + 1};
  const Trimmer::Dropped dropped = trimmer.drop_before(limit, pins);
  const std::string after = bytes_of(recording.file());
  ASSERT_EQ(after.size(), before.size());
  std::uint64_t count = 0;
  std::uint64_t events = 0;
  std::uint64_t gone_from = blocks[0].at;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    const auto length = static_cast<std::size_t>(block.end - block.at);
    const bool goes = block.calls() && block.end <= limit && i != 11 && i != 12;
    EXPECT_EQ(after.substr(block.at, length),
              goes ? std::string(length, '\0') : before.substr(block.at, length));
    if (!goes) {
      EXPECT_EQ(trimmer.next_kept(gone_from), block.at);  // of all that is gone before it
      EXPECT_EQ(trimmer.next_kept(block.end - 1), block.end - 1);
      EXPECT_GE(trimmer.kept_from(block.at), length);
      gone_from = block.end;
    }
    count += goes ? 1 : 0;
    events += goes ? block.header.events : 0;
  }
  EXPECT_GT(count, 10U);
  EXPECT_EQ(dropped.blocks, count);
  EXPECT_EQ(dropped.events, events);
  EXPECT_FALSE(dropped.more);
  EXPECT_EQ(trimmer.drop_before(limit, {}).blocks, 0U);
}

TEST(control_trimmer, leaves_what_is_no_stream) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("other", std::string(5000, 'x'));
  const Descriptor file(open(path.c_str(), O_RDWR));
  Trimmer trimmer;
  trimmer.begin(file.get());
  EXPECT_EQ(trimmer.drop_before(5000, {}).blocks, 0U);
  EXPECT_FALSE(trimmer.able());
  EXPECT_EQ(bytes_of(path), std::string(5000, 'x'));
}

// Nobody comes: the file keeps the newest, and says what it lacks.
TEST(control_trimmer, a_full_spool_loses_the_oldest_and_says_so) {
  if (!disk_gives_back()) GTEST_SKIP() << "this disk gives nothing back";
  test::Recording recording("flush=60s");
  RecorderHandler handler(options_of("connect=/nowhere,spool=20k"), {});
  record_blocks(40);
  const std::uint64_t all = events_of(blocks_of(bytes_of(recording.file())));
  const std::uint64_t length = handler.stream().length;
  while (handler.look_around() == 0) {
  }
  ASSERT_TRUE(Recorder::the().flush(test::kPatience));
  const std::vector<Block> left = blocks_of(taken(handler));
  const std::uint64_t lost = Recorder::the().status().lost.load();
  EXPECT_GT(lost, 0U);
  // What was lost is one event more.
  EXPECT_EQ(events_of(left) + lost, all + 1);
  const auto kept_calls = std::ranges::count_if(left, &Block::calls);
  EXPECT_GT(kept_calls, 5);
  EXPECT_LT(kept_calls, 40);
  EXPECT_LT(length, handler.stream().length);
  recording.stop();
}

// A client that knows no KEPT has read all of it: the disk is spared, and nothing is lost.
TEST(control_trimmer, what_was_read_is_not_lost) {
  if (!disk_gives_back()) GTEST_SKIP() << "this disk gives nothing back";
  test::Recording recording("flush=60s");
  RecorderHandler handler(options_of("connect=/nowhere,spool=20k"), {});
  record_blocks(40);
  const std::uint64_t length = handler.stream().length;
  handler.set_readers({length});
  handler.look_around();
  EXPECT_EQ(Recorder::the().status().lost.load(), 0U);
  EXPECT_LT(taken(handler).size(), length);
  recording.stop();
}

TEST(control_trimmer, what_a_client_has_goes_without_a_loss) {
  if (!disk_gives_back()) GTEST_SKIP() << "this disk gives nothing back";
  test::Recording recording("flush=60s");
  RecorderHandler handler(options_of("connect=/nowhere"), {});
  RecorderHandler users_own(options_of("control=unix"), {});
  record_blocks(20);
  const std::string all = bytes_of(recording.file());
  const StreamState there = handler.stream();
  EXPECT_EQ(users_own.kept(there.id, there.length).outcome, Outcome::ok);
  users_own.look_around();
  EXPECT_EQ(bytes_of(recording.file()), all);
  EXPECT_EQ(handler.kept(there.id + 1, 100).outcome, Outcome::invalid);
  EXPECT_EQ(handler.kept(there.id, there.length + 1).outcome, Outcome::invalid);
  EXPECT_EQ(handler.kept(there.id, there.length).outcome, Outcome::ok);
  EXPECT_EQ(handler.kept(there.id, 0).outcome, Outcome::ok);
  handler.look_around();
  EXPECT_EQ(Recorder::the().status().lost.load(), 0U);
  const std::vector<Block> left = blocks_of(taken(handler));
  EXPECT_LT(left.size(), blocks_of(all).size());
  EXPECT_EQ(std::ranges::count_if(left, &Block::calls), 0);
  recording.stop();
}

}  // namespace
}  // namespace polytrace::agent::control
