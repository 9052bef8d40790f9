// SPDX-License-Identifier: Apache-2.0
// Several at once in one folder, and folders that take nothing.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "base/codes.hpp"
#include "store/crash/told_trace.hpp"
#include "store/file/cache_folder.hpp"
#include "store/store.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::store::crash {
namespace {

// As builders of the cache do: false where another one is at work.
bool build_alone(const IndexPlace& place, const ToldTrace& trace, std::function<void()> each) {
  const auto lock = FolderLock::take(place.lock(), FolderLock::Share::alone);
  EXPECT_TRUE(lock);
  if (!*lock) return false;
  TraceReader reader(trace, std::move(each));
  EXPECT_TRUE(
      build_index(reader, {.path = place.file(),
                           .build = {.encoders = 1, .commit_each = ToldTrace::kBytesOfBatch},
                           .pump = {.workers = 1}}));
  return true;
}

TEST(shared_folder, one_builds_while_others_are_refused_and_read_what_there_is) {
  const ToldTrace trace(21, 60, 50);
  const test::TemporaryFolder folder;
  const IndexPlace place{folder.file("x")};
  ASSERT_TRUE(make_folder(place));
  std::atomic<std::size_t> taken = 0;
  std::atomic<std::size_t> looks = 0;
  std::atomic<bool> done = false;
  std::thread builder([&] {
    EXPECT_TRUE(build_alone(place, trace, [&] {
      // Not before others have looked: no part of the test depends on who is faster.
      for (const std::size_t before = looks; ++taken % 8 == 0 && looks < before + 2;)
        std::this_thread::yield(), --taken;
    }));
    done = true;
  });
  std::set<std::size_t> seen;
  std::size_t before = 0;
  PrefixCheck events_in(trace);
  while (!done) {
    if (taken > 0 && !done) {
      const bool built = build_alone(place, trace, {});
      EXPECT_TRUE(!built || std::filesystem::exists(place.file()));
    }
    for (const std::string& file : {place.file() + ".new", place.file()}) {
      auto view = IndexView::open(file);
      if (!view && view.error().code == base::Code::open_failed) continue;
      const std::size_t events = events_in(std::move(view));
      EXPECT_GE(events, before);
      seen.insert(before = events);
    }
    ++looks;
  }
  builder.join();
  EXPECT_GT(seen.size(), 2U);
  EXPECT_EQ(expect_prefix(std::move(*base::Image::map(place.file())), trace),
            trace.all().events.size());
}

// No file of this process may be longer; writing more is an error like that of a full disk.
class LengthLimit {
 public:
  explicit LengthLimit(rlim_t most) : ignored_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    set(most);
  }
  LengthLimit(const LengthLimit&) = delete;
  LengthLimit& operator=(const LengthLimit&) = delete;
  ~LengthLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, ignored_);
  }
  void set(rlim_t most) {
    const rlimit now{most, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &now), 0);
  }

 private:
  rlimit before_{};
  void (*ignored_)(int);
};

TEST(full_disk, ends_building_with_the_cause_and_leaves_a_prefix) {
  const ToldTrace trace(22, 30, 50);
  const test::TemporaryFolder folder;
  const std::string path = folder.file("index.pti");
  IndexJob job{.path = path, .build = {.commit_each = 4000}, .pump = {.workers = 1}};
  TraceReader first(trace);
  ASSERT_TRUE(build_index(first, job));
  const auto size = std::filesystem::file_size(path);
  std::filesystem::remove(path);
  std::size_t partial = 0;
  for (std::uintmax_t most = 0; most < size; most += most < 5000 ? 1000 : 1 + size / 20) {
    SCOPED_TRACE(most);
    for (const unsigned encoders : {0U, 2U}) {
      job.build.encoders = encoders;
      base::result<event::PumpOutcome> built;
      {
        const LengthLimit limit(most);
        TraceReader reader(trace);
        built = build_index(reader, job);
      }
      ASSERT_FALSE(built);
      EXPECT_EQ(built.error().code, base::Code::write_failed);
      EXPECT_EQ(built.error().detail, "File too large");
      EXPECT_EQ(folder.entries(), 1U);
      auto left = base::Image::map(path + ".new");
      ASSERT_TRUE(left);
      if (expect_prefix(std::move(*left), trace) != 0) ++partial;
    }
  }
  EXPECT_GT(partial, 5U);
  TraceReader again(trace);
  EXPECT_TRUE(build_index(again, job));
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_EQ(expect_prefix(std::move(*base::Image::map(path)), trace), trace.all().events.size());
}

// What a commit could not write does not come back, so nothing after it may count as complete.
TEST(full_disk, that_has_room_again_makes_no_complete_index) {
  const ToldTrace trace(23, 8, 50);
  const test::TemporaryFolder folder;
  auto writer = IndexWriter::create(folder.file("index.pti"), {});
  ASSERT_TRUE(writer);
  Builder builder(*writer, {.commit_each = 0});
  ASSERT_TRUE(builder.consume(*trace.batches()[0]));
  {
    // Blocks are written, then the directory is too long.
    LengthLimit limit(RLIM_INFINITY);
    std::uint64_t most = writer->size();
    for (std::size_t i = 1; i < trace.batches().size(); ++i) {
      limit.set(most + 100 * i);
      if (!builder.consume(*trace.batches()[i])) break;
    }
  }
  EXPECT_FALSE(builder.finish({}, IndexState::complete, {}));
  EXPECT_EQ(expect_prefix(std::move(*base::Image::map(folder.file("index.pti"))), trace),
            trace.ends()[0]);
}

TEST(full_disk, and_folders_that_take_no_file_are_an_error) {
  const ToldTrace trace(24, 1, 50);
  const test::TemporaryFolder folder;
  const std::string file = folder.write("file", "x");
  TraceReader reader(trace);
  const auto built = build_index(reader, {.path = file + "/index.pti"});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, base::Code::write_failed);
  EXPECT_EQ(built.error().detail, "Not a directory");
  if (geteuid() == 0) return;  // to whom all folders are open
  std::filesystem::permissions(
      folder.file(""), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  TraceReader other(trace);
  EXPECT_FALSE(build_index(other, {.path = folder.file("index.pti")}));
  std::filesystem::permissions(folder.file(""), std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace polytrace::store::crash
