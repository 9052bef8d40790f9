// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/spool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <map>
#include <random>

#include "analysis/asked.hpp"
#include "collector/medium.hpp"
#include "collector/streams.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::collector {
namespace {

namespace fs = std::filesystem;
using U = std::uint64_t;
using Blocks = std::vector<test::OwnBlock>;

Blocks blocks_of_stream(U stream, std::size_t count) {
  event::Batch batch;
  test::Stream events(batch, stream);
  for (std::size_t i = 0; i < 4 * count; ++i)
    events.add(static_cast<base::Time>(i), i % 300 + stream, event::Enter{});
  return test::blocks_in(test::native_stream(stream, batch, 4));
}

SpoolOptions small(const fs::path& folder) {
  return {.folder = folder, .bytes = 1 << 20, .min_free = 0, .file_bytes = 2000};
}

// Indexes by stream, of blocks that are as they were.
std::map<U, std::vector<U>> all_in(const Spool& spool, const std::map<U, Blocks>& streams) {
  std::map<U, std::vector<U>> found;
  const auto done =
      spool.replay([](U) { return std::optional<U>(0); },
                   [&](U stream, const BlockCutter::Block& block) -> base::result<void> {
                     const test::OwnBlock& own = streams.at(stream).at(block.index + 1);
                     EXPECT_TRUE(std::ranges::equal(block.bytes, own.bytes));
                     EXPECT_EQ(block.offset, own.offset);
                     found[stream].push_back(block.index);
                     return {};
                   });
  EXPECT_TRUE(done);
  return found;
}

std::vector<U> numbers(U from, U to) {
  std::vector<U> all;
  for (; from < to; ++from) all.push_back(from);
  return all;
}

void append_all(Spool& spool, U stream, const Blocks& blocks) {
  for (const test::OwnBlock& block : blocks) EXPECT_EQ(spool.append(stream, block.view()), true);
}

fs::path newest_in(const fs::path& folder) {
  std::vector<fs::path> all(fs::directory_iterator(folder), fs::directory_iterator{});
  return std::ranges::max(all);
}

TEST(spool, holds_what_is_synced_and_gives_it_back) {
  const test::TemporaryFolder folder;
  const std::map<U, Blocks> streams{{1, blocks_of_stream(1, 30)}, {2, blocks_of_stream(2, 12)}};
  auto spool = Spool::open(small(folder.file("s")));
  ASSERT_TRUE(spool);
  EXPECT_FALSE(spool->held(1));
  append_all(*spool, 1, streams.at(1));
  ASSERT_TRUE(spool->sync());
  append_all(*spool, 2, streams.at(2));
  EXPECT_EQ(spool->append(2, streams.at(2)[4].view()), false);
  EXPECT_EQ(spool->duplicate_blocks(), 1U);
  EXPECT_EQ(spool->streams(), numbers(1, 3));  // files that were full are synced
  EXPECT_LT(spool->held(2)->next_block, 13U);
  ASSERT_TRUE(spool->sync());
  EXPECT_EQ(spool->held(2)->next_block, 13U);  // with the end
  EXPECT_EQ(spool->held(1)->next_block, 31U);
  EXPECT_EQ(spool->held(1)->next_offset,
            streams.at(1).back().offset + streams.at(1).back().bytes.size());
  const std::map<U, std::vector<U>> all{{1, numbers(0, 31)}, {2, numbers(0, 13)}};
  EXPECT_EQ(all_in(*spool, streams), all);
  spool = Spool::open(small(folder.file("s")));
  ASSERT_TRUE(spool);
  EXPECT_EQ(all_in(*spool, streams), all);
  EXPECT_EQ(spool->held(1)->next_block, 31U);
  std::vector<U> from_20;
  ASSERT_TRUE(spool->replay(1, 20, [&](const BlockCutter::Block& block) -> base::result<void> {
    from_20.push_back(block.index);
    return {};
  }));
  EXPECT_EQ(from_20, numbers(20, 31));
  EXPECT_EQ(spool->damaged_bytes(), 0U);
}

TEST(spool, torn_at_any_byte_keeps_what_is_whole_and_goes_on) {
  const test::TemporaryFolder folder;
  const std::map<U, Blocks> streams{{5, blocks_of_stream(5, 6)}};
  SpoolOptions options = small(folder.file("s"));
  options.file_bytes = 1 << 20;
  {
    auto spool = Spool::open(options);
    append_all(*spool, 5, streams.at(5));
    ASSERT_TRUE(spool->sync());
  }
  const std::string whole = test::content_of(newest_in(options.folder));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    for (const bool garbage : {false, true}) {
      std::string torn = whole.substr(0, size);
      if (garbage) torn += std::string(whole.size() - size, '\0');
      std::ofstream(newest_in(options.folder), std::ios::binary) << torn;
      auto spool = Spool::open(options);
      ASSERT_TRUE(spool);
      const U next = spool->held(5) ? spool->held(5)->next_block : 0;
      std::size_t end = spool->held(5) ? spool->held(5)->next_offset : 0;
      end += 24 * (spool->held(5) ? next + 1 : 0);
      EXPECT_LE(end, size);
      EXPECT_EQ(spool->bytes(), end);
      if (size % 11 != 0) continue;
      for (const test::OwnBlock& block : streams.at(5))
        EXPECT_EQ(spool->append(5, block.view()),
                  block.index == BlockCutter::kHeader ? !spool->held(5) : block.index >= next);
      ASSERT_TRUE(spool->sync());
      EXPECT_EQ(all_in(*spool, streams), (std::map<U, std::vector<U>>{{5, numbers(0, 7)}})) << size;
    }
  }
}

TEST(spool, passes_over_flipped_bits_and_says_so) {
  const test::TemporaryFolder folder;
  const std::map<U, Blocks> streams{{5, blocks_of_stream(5, 6)}};
  SpoolOptions options = small(folder.file("s"));
  options.file_bytes = 1 << 20;
  {
    auto spool = Spool::open(options);
    append_all(*spool, 5, streams.at(5));
    ASSERT_TRUE(spool->sync());
  }
  const fs::path file = newest_in(options.folder);
  const std::string whole = test::content_of(file);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    std::ofstream(file, std::ios::binary) << damaged;
    auto spool = Spool::open(options);
    ASSERT_TRUE(spool);
    const auto found = all_in(*spool, streams);
    const std::size_t count = found.contains(5) ? found.at(5).size() : 0;
    EXPECT_GE(count, 6U) << at;  // of seven
    // The last one is cut off as torn; the stream's header is no block.
    const bool is_last = count == 6 && found.at(5).back() == 5;
    EXPECT_TRUE(count == 7 || is_last || spool->damaged_bytes() > 0) << at;
    EXPECT_EQ(spool->held(5)->next_block, is_last ? 6U : 7U);
  }
}

TEST(spool, drops_its_oldest_files_whole_and_counts_them) {
  const test::TemporaryFolder folder;
  const std::map<U, Blocks> streams{{1, blocks_of_stream(1, 300)}};
  SpoolOptions options = small(folder.file("s"));
  options.bytes = 10'000;
  auto spool = Spool::open(options);
  append_all(*spool, 1, streams.at(1));
  ASSERT_TRUE(spool->sync());
  EXPECT_LE(spool->bytes(), options.bytes);
  EXPECT_GT(spool->bytes(), options.bytes - 2 * options.file_bytes);
  const auto left = all_in(*spool, streams).at(1);
  EXPECT_EQ(left, numbers(left[0], 301));
  EXPECT_EQ(spool->dropped_blocks(), left[0]);
  EXPECT_EQ(spool->held(1)->next_block, 301U);
}

TEST(spool, drops_what_is_too_old) {
  const test::TemporaryFolder folder;
  const std::map<U, Blocks> streams{{1, blocks_of_stream(1, 30)}, {2, blocks_of_stream(2, 30)}};
  auto spool = Spool::open(small(folder.file("s")));
  append_all(*spool, 1, streams.at(1));
  ASSERT_TRUE(spool->sync());
  for (const auto& file : fs::directory_iterator(folder.file("s")))
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(25));
  EXPECT_GE(spool->oldest(), std::chrono::hours(24));
  append_all(*spool, 2, streams.at(2));
  ASSERT_TRUE(spool->sync());
  const auto left = all_in(*spool, streams);
  EXPECT_EQ(left.at(2), numbers(0, 31));
  EXPECT_FALSE(left.contains(1) && left.at(1)[0] == 0);
  EXPECT_GT(spool->dropped_blocks(), 0U);
}

// A file may not become larger than that: as a disk that is full, and has room again.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(spool, a_full_disk_is_an_error_that_goes_away) {
  const test::TemporaryFolder folder;
  const std::map<U, Blocks> streams{{1, blocks_of_stream(1, 30)}};
  SpoolOptions options = small(folder.file("s"));
  options.file_bytes = 1 << 20;
  auto spool = Spool::open(options);
  ASSERT_TRUE(spool);
  std::size_t next = 0;
  {
    const FileLimit limit(1500);
    while (next < 30 && spool->append(1, streams.at(1)[next].view())) ++next;
    EXPECT_GT(next, 3U);
    EXPECT_LT(next, 30U);
    EXPECT_FALSE(spool->append(1, streams.at(1)[next].view()));  // it stays
    EXPECT_LE(spool->bytes(), 1500U);
  }
  for (; next < streams.at(1).size(); ++next)
    EXPECT_EQ(spool->append(1, streams.at(1)[next].view()), true);
  ASSERT_TRUE(spool->sync());
  EXPECT_EQ(all_in(*spool, streams).at(1), numbers(0, 31));
  options.min_free = ~U{0};
  spool = Spool::open(options);
  EXPECT_FALSE(spool->append(2, streams.at(1)[0].view()));
}

// A spool with what is known to be in it: positions in `streams`.
struct ModelledSpool {
  ModelledSpool(const std::map<U, Blocks>& all, const std::string& folder)
      : streams(all), options(small(folder)), medium(folder), spool(Spool::open(options)) {
    medium.synced();
  }
  void append(U stream) {
    std::size_t& at = appended[stream];
    if (at == streams.at(stream).size()) return;
    const fs::path newest = newest_in(options.folder);
    ASSERT_EQ(spool->append(stream, streams.at(stream)[at].view()), true);
    // The file before was full, so it is synced.
    if (newest_in(options.folder) != newest) synced = appended;
    ++at;
  }
  void sync() {
    ASSERT_TRUE(spool->sync());
    synced = appended;
    medium.synced();
  }
  void kill(std::mt19937& random) {
    spool = tl::unexpected(base::Error{});
    medium.cut(random);
    spool = Spool::open(options);
    ASSERT_TRUE(spool);
    for (auto& [of, at] : appended) {
      const auto held = spool->held(of);
      const std::size_t has = held ? held->next_block + 1 : 0;
      EXPECT_GE(has, synced[of]);
      EXPECT_LE(has, at);
      at = synced[of] = has;
    }
    medium.synced();
  }
  void expect_all() {
    const auto found = all_in(*spool, streams);
    for (const auto& [of, at] : appended) {
      if (at < 2) continue;  // no more than the stream's header
      EXPECT_EQ(found.at(of), numbers(0, at - 1));
      EXPECT_EQ(spool->held(of)->next_block, at - 1);
    }
  }

  const std::map<U, Blocks>& streams;
  SpoolOptions options;
  test::Medium medium;
  base::result<Spool> spool;
  std::map<U, std::size_t> appended{};
  std::map<U, std::size_t> synced{};
};

TEST(spool, is_what_a_model_says_whatever_is_done_and_wherever_it_is_killed) {
  const std::map<U, Blocks> streams{
      {1, blocks_of_stream(1, 60)}, {2, blocks_of_stream(2, 60)}, {3, blocks_of_stream(3, 60)}};
  for (unsigned round = 0; round < 20; ++round) {
    std::mt19937 random(round);
    const test::TemporaryFolder folder;
    ModelledSpool model(streams, folder.file("s"));
    for (int step = 0; step < 120; ++step) {
      const auto what = random() % 32;
      if (what < 4) model.sync();
      else if (what == 4) model.kill(random);
      else model.append(1 + random() % 3);
    }
    model.sync();
    model.expect_all();
  }
}

}  // namespace
}  // namespace polytrace::collector
