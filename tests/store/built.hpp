// SPDX-License-Identifier: Apache-2.0
// Indexes made in a test, and what comes out of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "event/copy.hpp"
#include "event/pump.hpp"
#include "format/format.hpp"
#include "store/build/pass/builder.hpp"
#include "store/read/events/store_reader.hpp"
#include "support/compare.hpp"
#include "support/long.hpp"

namespace polytrace::store::indexes {

// All events of a trace in one batch, and how reading them went.
struct Told {
  event::Batch batch;
  event::PumpOutcome outcome;
};

class Collector final : public event::Consumer {
 public:
  explicit Collector(event::Batch& all) : all_(all) {}
  bool consume(const event::Batch& batch) override {
    for (const event::Event& event : batch.events) event::copy_event(batch, event, all_);
    return true;
  }

 private:
  event::Batch& all_;
};

// Calls use(reader) for recordings of the test data: for all of them in ./dev test --long, else for
// every third, from number `turn` on, so that three tests have all of them. How many there were.
template <class Use>
std::size_t for_each_recording(std::size_t turn, const Use& use) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(POLYTRACE_TEST_DATA))
    if (entry.is_regular_file()) paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  std::size_t found = 0, used = 0;
  for (const std::string& path : paths) {
    auto source = base::open_source(path);
    if (!source) continue;
    const auto opened = format::open(std::move(*source));
    if (!opened || (found++ % 3 != turn && !test::is_long())) continue;
    SCOPED_TRACE(path);
    ++used;
    use(*opened->reader);
  }
  return used;
}

inline std::unique_ptr<Told> tell(event::Reader& reader, unsigned workers = 1) {
  auto told = std::make_unique<Told>();
  Collector collector(told->batch);
  told->outcome = event::pump(reader, collector, {.workers = workers});
  return told;
}

// Of batches one after the other, without a file.
inline std::shared_ptr<const IndexFrames> index_of(std::span<const event::Batch* const> batches,
                                                   const BuildOptions& options = {},
                                                   const event::PumpOutcome& outcome = {}) {
  auto file = base::FrameFile::in_memory();
  EXPECT_TRUE(file);
  auto writer = IndexWriter::begin(std::move(*file), {});
  EXPECT_TRUE(writer);
  Builder builder(*writer, options);
  for (const event::Batch* batch : batches) EXPECT_TRUE(builder.consume(*batch));
  const auto done = builder.finish(outcome, IndexState::complete, {.format = "test 1"});
  EXPECT_TRUE(done) << base::to_text(done.error());
  auto image = base::Image::map(writer->descriptor(), writer->size());
  EXPECT_TRUE(image);
  auto view = IndexView::open(std::move(*image));
  EXPECT_TRUE(view) << base::to_text(view.error());
  auto frames = IndexFrames::open(std::move(*view));
  EXPECT_TRUE(frames) << base::to_text(frames.error());
  return *frames;
}

// Of both, what the first difference is; empty where there is none.
inline std::string difference(const event::Batch& a, const event::Batch& b) {
  const std::size_t both = std::min(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < both; ++i)
    if (!test::same_event(a, a.events[i], b, b.events[i]))
      return "event " + std::to_string(i) + " of kind " +
             std::string(event::describe(a.events[i].kind).name);
  if (a.events.size() != b.events.size())
    return std::to_string(a.events.size()) + " events and " + std::to_string(b.events.size());
  return {};
}

// --- what comes out is what went in ---

inline void expect_same_notices(const base::Notices& a, const base::Notices& b) {
  const auto all_a = a.sorted(), all_b = b.sorted();
  ASSERT_EQ(all_a.size(), all_b.size());
  for (std::size_t i = 0; i < all_a.size(); ++i) {
    EXPECT_EQ(all_a[i].code, all_b[i].code);
    EXPECT_EQ(all_a[i].count, all_b[i].count);
    EXPECT_EQ(all_a[i].bytes, all_b[i].bytes);
    EXPECT_EQ(base::to_text(all_a[i].first), base::to_text(all_b[i].first));
    EXPECT_EQ(all_a[i].detail, all_b[i].detail);
    ASSERT_EQ(all_a[i].others.size(), all_b[i].others.size());
    for (std::size_t j = 0; j < all_a[i].others.size(); ++j)
      EXPECT_EQ(base::to_text(all_a[i].others[j].place), base::to_text(all_b[i].others[j].place));
  }
}

inline void expect_same_tally(const event::Tally& a, const event::Tally& b) {
  EXPECT_EQ(a.frames, b.frames);
  EXPECT_EQ(a.frame_bytes, b.frame_bytes);
  EXPECT_EQ(a.time_wraps, b.time_wraps);
  for (std::size_t i = 0; i < a.records.size(); ++i) {
    EXPECT_EQ(a.records[i].count, b.records[i].count) << i;
    EXPECT_EQ(a.records[i].bytes, b.records[i].bytes) << i;
  }
}

inline void expect_identity(const Told& told, const BuildOptions& options = {}) {
  const event::Batch* const all[]{&told.batch};
  StoreReader reader(index_of(all, options, told.outcome));
  const auto again = tell(reader);
  EXPECT_EQ(difference(told.batch, again->batch), "");
  expect_same_notices(told.outcome.notices, again->outcome.notices);
  expect_same_tally(told.outcome.tally, again->outcome.tally);
  EXPECT_EQ(told.outcome.error.has_value(), again->outcome.error.has_value());
}

}  // namespace polytrace::store::indexes
