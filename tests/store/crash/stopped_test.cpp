// SPDX-License-Identifier: Apache-2.0
// Builders that end before any write or sync, or are killed at any moment: what they leave is a
// prefix of the trace, whole, or nothing; and the next builder makes a complete index.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "store/crash/file_steps.hpp"
#include "store/crash/told_trace.hpp"
#include "store/store.hpp"
#include "support/long.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::store::crash {
namespace {

using Bytes = std::vector<std::byte>;

std::vector<FileStep> steps_of(const ToldTrace& trace) {
  Recording recording;
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {});
  EXPECT_TRUE(writer);
  Builder builder(*writer, {.commit_each = 0});
  for (const auto& batch : trace.batches()) EXPECT_TRUE(builder.consume(*batch));
  EXPECT_TRUE(builder.finish({}, IndexState::complete, {}));
  return std::move(recording.steps);
}

TEST(stopped_builders, before_any_write_or_sync_leave_a_whole_prefix) {
  const ToldTrace trace(1, 60, 40);
  const std::vector<FileStep> steps = steps_of(trace);
  ASSERT_GT(steps.size(), 1000U);
  PrefixCheck events_in(trace);
  Bytes file;
  std::size_t before = 0;
  std::set<std::size_t> seen;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    SCOPED_TRACE(n);
    if (n < 500 || n % 23 == 0 || n + 20 > steps.size()) {
      Bytes torn = file;
      steps[n].apply(torn, steps[n].bytes.size() / 2);
      for (const Bytes& left : {file, torn}) {
        const std::size_t events = events_in(left);
        ASSERT_GE(events, before);
        seen.insert(before = events);
      }
      if (testing::Test::HasFailure()) return;
    }
    steps[n].apply(file);
  }
  EXPECT_EQ(events_in(file), trace.all().events.size());
  // Each commit was seen, and nothing else.
  seen.erase(0);
  const std::set<std::size_t> ends(trace.ends().begin(), trace.ends().end());
  EXPECT_TRUE(std::ranges::includes(ends, seen));
  EXPECT_GT(seen.size(), 40U);
}

// Of what was written since the last sync any part may be on the medium, by blocks of 512 bytes,
// and the rest be zeros or what was there before.
TEST(stopped_builders, whose_medium_loses_what_was_not_synced_leave_a_whole_prefix) {
  constexpr std::size_t kBlock = 512;
  const ToldTrace trace(2, 40, 40);
  const std::vector<FileStep> steps = steps_of(trace);
  std::mt19937_64 engine(3);
  PrefixCheck events_in(trace);
  Bytes synced;
  std::size_t begin = 0;  // of what is not synced
  for (std::size_t n = 0; n < steps.size(); ++n) {
    SCOPED_TRACE(n);
    if (!steps[n].is_sync) continue;
    const std::size_t before = events_in(synced);
    Bytes now = synced;
    for (std::size_t i = begin; i < n; ++i) steps[i].apply(now);
    for (int sample = 0; sample < 4; ++sample) {
      Bytes left = synced;
      left.resize(engine() % 2 == 0 ? now.size() : std::max(synced.size(), now.size() / 2));
      for (std::size_t at = 0; at < left.size(); at += kBlock)
        if (engine() % 2 == 0)
          std::copy_n(now.begin() + static_cast<std::ptrdiff_t>(at),
                      std::min(kBlock, left.size() - at),
                      left.begin() + static_cast<std::ptrdiff_t>(at));
      ASSERT_GE(events_in(left), before);
      if (testing::Test::HasFailure()) return;
    }
    synced = std::move(now);
    begin = n;
  }
  EXPECT_EQ(events_in(synced), trace.all().events.size());
}

// Builds in a process of its own, which tells each batch that it takes.
class BuilderProcess {
 public:
  BuilderProcess(const ToldTrace& trace, const std::string& path) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    id_ = fork();
    if (id_ == 0) {
      TraceReader reader(trace, [&] { static_cast<void>(!write(ends[1], "x", 1)); });
      const auto built = build_index(
          reader, {.path = path,
                   .build = {.encoders = 2, .commit_each = 3 * ToldTrace::kBytesOfBatch},
                   .pump = {.workers = 2}});
      _exit(built ? 0 : 1);
    }
    close(ends[1]);
    told_ = ends[0];
  }
  BuilderProcess(const BuilderProcess&) = delete;
  BuilderProcess& operator=(const BuilderProcess&) = delete;
  ~BuilderProcess() { close(told_); }

  void kill_after(std::size_t batches) {
    char told = 0;
    while (batches-- != 0 && read(told_, &told, 1) == 1) {
    }
    kill(id_, SIGKILL);
    end();
  }
  int end() {
    int status = 0;
    EXPECT_EQ(waitpid(id_, &status, 0), id_);
    return status;
  }

 private:
  pid_t id_ = -1;
  int told_ = -1;
};

TEST(stopped_builders, killed_at_any_moment_leave_a_whole_prefix) {
  const ToldTrace trace(4, 60, 60);
  const test::TemporaryFolder folder;
  const std::string path = folder.file("index.pti");
  std::mt19937_64 engine(5);
  std::size_t partial = 0;
  const int kills = test::is_long() ? 100 : 20;
  for (int i = 0; i < kills; ++i) {
    SCOPED_TRACE(i);
    BuilderProcess(trace, path).kill_after(1 + engine() % (trace.batches().size() + 1));
    const bool done = std::filesystem::exists(path);
    // Until the builder has made its file there is none.
    if (!done && !std::filesystem::exists(path + ".new")) continue;
    const std::size_t events =
        expect_prefix(std::move(*base::Image::map(done ? path : path + ".new")), trace);
    if (events != 0 && events != trace.all().events.size()) ++partial;
    EXPECT_LE(folder.entries(), 1U);
    if (done) std::filesystem::remove(path);
  }
  EXPECT_GT(partial, 3U);
  // What the last one left does no harm.
  EXPECT_EQ(BuilderProcess(trace, path).end(), 0);
  EXPECT_EQ(folder.entries(), 1U);
  const auto store = Store::open(path);
  ASSERT_TRUE(store);
  EXPECT_EQ((*store)->facts().state, IndexState::complete);
  EXPECT_EQ(expect_prefix(std::move(*base::Image::map(path)), trace), trace.all().events.size());
}

}  // namespace
}  // namespace polytrace::store::crash
