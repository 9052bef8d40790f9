// SPDX-License-Identifier: Apache-2.0
#include "event/pump.hpp"
#include "base/codes.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace polytrace::event {
namespace {

// Gives `chunks` chunks of one event each, then the end or an error. Decoding takes longer for
// every third one, so that workers overtake each other.
class CountingReader final : public Reader {
 public:
  explicit CountingReader(std::uint64_t chunks, bool fails = false)
      : chunks_(chunks), fails_(fails), source_(base::memory_source({})) {}

  std::string version() const override { return "1"; }
  base::result<bool> fetch(Chunk& chunk) override {
    if (next_ == chunks_) {
      ++ends_;
      notices_.add(base::Code::trailing_bytes, {.offset = 1}, 1);
      if (fails_) return base::fail(base::Code::read_failed);
      return false;
    }
    notices_.add(base::Code::frame_truncated, {.offset = next_}, 3);
    chunk.sequence = next_++;
    return true;
  }
  void decode(const Chunk& chunk, Batch& batch) const override {
    batch.clear();
    if (chunk.sequence % 3 == 0) std::this_thread::yield();
    const auto time = static_cast<Time>(chunk.sequence);
    batch.add_plain(time, batch.thread_slot(1), kNoId, Kind::Note);
    batch.tally.records[3] = {1, 10};
    batch.notices.add(base::Code::list_odd, {.offset = chunk.sequence}, 2);
  }
  void settle(Chunk&, Batch& batch) override { batch.events[0].id = settled_++; }
  const base::Notices& notices() const override { return notices_; }
  const base::Source& source() const override { return *source_; }
  int ends() const { return ends_; }

 private:
  std::uint64_t chunks_;
  bool fails_;
  std::unique_ptr<base::Source> source_;
  std::uint64_t next_ = 0;
  Id settled_ = 0;
  int ends_ = 0;
  base::Notices notices_;
};

class Order final : public Consumer {
 public:
  explicit Order(std::uint64_t stop_after = kNoId) : stop_after_(stop_after) {}
  void begin(unsigned workers) override { surveyed_.resize(workers); }
  void survey(const Batch& batch, unsigned worker) override {
    surveyed_[worker].insert(batch.events[0].time);
  }
  bool consume(const Batch& batch) override {
    in_order_ = in_order_ && batch.events[0].time == static_cast<Time>(consumed_) &&
                batch.events[0].id == consumed_;
    return ++consumed_ < stop_after_;
  }
  bool in_order() const { return in_order_; }
  std::uint64_t consumed() const { return consumed_; }
  std::size_t surveyed() const {
    std::set<Time> all;
    for (const auto& one : surveyed_) all.insert(one.begin(), one.end());
    return all.size();
  }

 private:
  std::uint64_t stop_after_;
  std::uint64_t consumed_ = 0;
  bool in_order_ = true;
  std::vector<std::set<Time>> surveyed_;
};

class pump_with : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(workers, pump_with, testing::Values(1U, 2U, 4U, 16U));

TEST_P(pump_with, consumes_in_input_order) {
  CountingReader reader(2000);
  Order order;
  const PumpOutcome outcome = pump(reader, order, {.workers = GetParam()});
  EXPECT_TRUE(order.in_order());
  EXPECT_EQ(order.consumed(), 2000U);
  EXPECT_EQ(order.surveyed(), 2000U);
  EXPECT_EQ(outcome.tally.records[3].count, 2000U);
  EXPECT_EQ(outcome.tally.records[3].bytes, 20000U);
  EXPECT_EQ(outcome.notices.find(base::Code::list_odd)->count, 2000U);
  EXPECT_EQ(outcome.notices.find(base::Code::frame_truncated)->count, 2000U);
  EXPECT_NE(outcome.notices.find(base::Code::trailing_bytes), nullptr);
  EXPECT_FALSE(outcome.error);
}

TEST_P(pump_with, stops_when_the_consumer_has_enough) {
  CountingReader reader(100'000);
  Order order(500);
  const PumpOutcome outcome = pump(reader, order, {.workers = GetParam()});
  EXPECT_TRUE(order.in_order());
  EXPECT_EQ(order.consumed(), 500U);
  EXPECT_EQ(outcome.tally.records[3].count, 500U);
  EXPECT_EQ(outcome.notices.find(base::Code::list_odd)->count, 500U);
  EXPECT_EQ(outcome.notices.find(base::Code::frame_truncated)->count, 500U);
}

TEST_P(pump_with, tells_nothing_of_what_lies_behind_the_stop) {
  CountingReader reader(500, true);
  Order order(500);
  const PumpOutcome outcome = pump(reader, order, {.workers = GetParam()});
  EXPECT_EQ(outcome.notices.find(base::Code::trailing_bytes), nullptr);
  EXPECT_FALSE(outcome.error);
}

TEST_P(pump_with, stops_from_outside) {
  CountingReader reader(100'000);
  Order order;
  const std::atomic<bool> stop = true;
  pump(reader, order, {.workers = GetParam(), .stop = &stop});
  EXPECT_EQ(order.consumed(), 0U);
}

TEST_P(pump_with, consumes_all_that_came_before_an_error) {
  CountingReader reader(300, true);
  Order order;
  const PumpOutcome outcome = pump(reader, order, {.workers = GetParam()});
  EXPECT_TRUE(order.in_order());
  EXPECT_EQ(order.consumed(), 300U);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, base::Code::read_failed);
}

TEST_P(pump_with, asks_no_more_behind_the_end) {
  for (const bool fails : {false, true}) {
    CountingReader reader(100, fails);
    Order order;
    pump(reader, order, {.workers = GetParam()});
    EXPECT_EQ(reader.ends(), 1);
  }
}

TEST_P(pump_with, tells_progress) {
  CountingReader reader(200);
  Order order;
  std::atomic<int> calls = 0;
  pump(reader, order, {.workers = GetParam(), .progress = [&](const base::Source&) { ++calls; }});
  EXPECT_GT(calls.load(), 0);
}

TEST(reader, next_is_the_sequential_form) {
  CountingReader reader(3);
  Batch batch;
  for (Time i = 0; i < 3; ++i) {
    ASSERT_TRUE(reader.next(batch).value());
    EXPECT_EQ(batch.events[0].time, i);
  }
  EXPECT_FALSE(reader.next(batch).value());
}

}  // namespace
}  // namespace polytrace::event
