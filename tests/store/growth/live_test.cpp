// SPDX-License-Identifier: Apache-2.0
// Indexes of traces that grow: whoever asks meanwhile has a whole prefix, which stays what it is.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <random>
#include <thread>

#include "store/crash/told_trace.hpp"
#include "store/live_index.hpp"
#include "support/random.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::store::growth {
namespace {

using crash::expect_prefix;
using crash::ToldTrace;
using polytrace::test::TemporaryFolder;
using std::chrono::milliseconds;

std::shared_ptr<const IndexFrames> seal(Builder& builder) {
  auto view = builder.seal();
  EXPECT_TRUE(view) << base::to_text(view.error());
  auto frames = IndexFrames::open(std::move(*view));
  EXPECT_TRUE(frames) << base::to_text(frames.error());
  return *frames;
}

// Sealed and committed in turn, at random.
void expect_seals_are_prefixes(const ToldTrace& trace, unsigned seed, const BuildOptions& options) {
  std::mt19937_64 random(seed);
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {});
  ASSERT_TRUE(writer);
  Builder builder(*writer, options);
  struct Kept {
    std::shared_ptr<const IndexFrames> frames;
    std::size_t events;
  };
  std::vector<Kept> kept;
  for (std::size_t i = 0; i < trace.batches().size(); ++i) {
    ASSERT_TRUE(builder.consume(*trace.batches()[i]));
    if (random() % 8 == 0) EXPECT_TRUE(builder.commit());
    if (random() % 2 == 0) continue;
    kept.push_back({seal(builder), trace.ends()[i]});
    ASSERT_EQ(expect_prefix(kept.back().frames, trace), trace.ends()[i]);
  }
  ASSERT_TRUE(builder.finish({}, IndexState::complete, {}));
  for (const Kept& one : kept) EXPECT_EQ(expect_prefix(one.frames, trace), one.events);
  auto image = base::Image::map(writer->descriptor(), writer->size());
  ASSERT_TRUE(image);
  EXPECT_EQ(expect_prefix(std::move(*image), trace), trace.all().events.size());
}

TEST(growth, seals_are_prefixes_of_the_trace_and_stay_what_they_are) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    expect_seals_are_prefixes(ToldTrace(seed, 50, 60), seed, {});
  }
  // Blocks and segments fill up, too.
  expect_seals_are_prefixes(ToldTrace(5, 8, 30'000), 5, {.encoders = 2});
}

TEST(growth, seals_have_events_of_every_kind) {
  polytrace::test::RandomEvents random(7);
  event::Batch all;
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {});
  ASSERT_TRUE(writer);
  Builder builder(*writer, {.most_open = 1 << 20, .most_paths = 64});
  for (int i = 0; i < 12; ++i) {
    event::Batch batch;
    for (int n = 0; n < 800; ++n) random.add_any(batch);
    for (const event::Event& event : batch.events) event::copy_event(batch, event, all);
    ASSERT_TRUE(builder.consume(batch));
    StoreReader reader(seal(builder));
    EXPECT_EQ(indexes::difference(all, indexes::tell(reader)->batch), "") << i;
  }
}

// Each batch comes when somebody lets it.
class Gate {
 public:
  void let(std::size_t batches) {
    const std::lock_guard lock(mutex_);
    let_ += batches;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return let_ != 0; });
    --let_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t let_ = 0;
};

std::size_t events_of(LiveIndex& index, const ToldTrace& trace) {
  const auto store = index.latest();
  EXPECT_TRUE(store);
  if (!store || *store == nullptr) return 0;
  const std::shared_ptr<const IndexFrames> frames(*store, &(*store)->frames());
  return expect_prefix(frames, trace);
}

TEST(growth, a_live_index_is_asked_by_several_while_it_grows) {
  const TemporaryFolder folder;
  const ToldTrace trace(9, 50, 200);
  Gate gate;
  crash::TraceReader reader(trace, [&gate] { gate.wait(); });
  auto index = LiveIndex::begin(reader, {.path = folder.file("index.pti"), .format = "test 1"},
                                {.seal = milliseconds(0), .commit = milliseconds(3)});
  ASSERT_TRUE(index) << base::to_text(index.error());
  std::atomic<std::size_t> seen = 0;
  const auto ask = [&] {
    std::size_t before = 0;
    while (before < trace.all().events.size()) {
      const std::size_t events = events_of(**index, trace);
      ASSERT_GE(events, before);
      seen = before = events;
    }
  };
  std::thread one(ask), other(ask);
  for (const std::size_t end : trace.ends()) {
    gate.let(1);
    while (seen < end && !HasFatalFailure()) std::this_thread::yield();
  }
  one.join();
  other.join();
  EXPECT_FALSE((*index)->has_ended());
  gate.let(1);
  const auto outcome = (*index)->finish({.facts = {.size = 5}, .fingerprint = {}});
  ASSERT_TRUE(outcome) << base::to_text(outcome.error());
  const auto whole = Store::open(folder.file("index.pti"));
  ASSERT_TRUE(whole);
  EXPECT_EQ((*whole)->facts().state, IndexState::complete);
  EXPECT_EQ((*whole)->facts().source.size, 5U);
  EXPECT_EQ(events_of(**index, trace), trace.all().events.size());
}

// Readers of the file see commits; who is killed leaves the last one.
TEST(growth, the_file_has_what_was_committed) {
  const TemporaryFolder folder;
  const ToldTrace trace(10, 20, 200);
  Gate gate;
  crash::TraceReader reader(trace, [&gate] { gate.wait(); });
  const std::string file = folder.file("index.pti");
  auto index = LiveIndex::begin(reader, {.path = file, .format = "test 1"},
                                {.seal = milliseconds(0), .commit = milliseconds(1)});
  ASSERT_TRUE(index);
  std::size_t events = 0;
  for (std::size_t i = 0; i < trace.batches().size(); ++i) {
    gate.let(1);
    while (events < trace.ends()[i]) {
      auto image = base::Image::map(file + ".new");
      ASSERT_TRUE(image);
      events = expect_prefix(std::move(*image), trace);
      ASSERT_LE(events, trace.ends()[i]);
    }
  }
  gate.let(1);
  EXPECT_TRUE((*index)->finish({}));
}

TEST(growth, nothing_is_there_before_the_first_event) {
  const TemporaryFolder folder;
  const ToldTrace trace(11, 1, 10);
  Gate gate;
  crash::TraceReader reader(trace, [&gate] { gate.wait(); });
  auto index = LiveIndex::begin(reader, {.path = folder.file("index.pti")}, {});
  ASSERT_TRUE(index);
  EXPECT_EQ(*(*index)->latest(), nullptr);
  gate.let(2);
}

// In bounded memory: the largest blocks are closed early.
TEST(growth, ten_thousand_threads_have_their_figures) {
  const ToldTrace trace(12, 12, 5'000, {.threads = 10'000});
  std::vector<const event::Batch*> batches;
  for (const auto& batch : trace.batches()) batches.push_back(batch.get());
  for (const std::size_t most_open : {std::size_t{1} << 20, std::size_t{64} << 20}) {
    const auto frames = indexes::index_of(batches, {.encoders = 1, .most_open = most_open});
    EXPECT_GT(frames->threads(), 9'000U);
    EXPECT_EQ(expect_prefix(frames, trace), trace.all().events.size());
  }
}

}  // namespace
}  // namespace polytrace::store::growth
