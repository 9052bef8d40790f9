// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/courier.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/codes.hpp"
#include "support/temporary_folder.hpp"
#include "support/waiting.hpp"

namespace polytrace::collector {
namespace {

using Numbers = std::vector<std::uint64_t>;

struct Tried {
  Numbers numbers;
  unsigned before;
  bool taken;
};

// Takes several as one, but for the first try, which is not answered, and one batch, which is
// refused whatever it comes with.
class FakeTarget final : public Target {
 public:
  FakeTarget(std::vector<Tried>& tried, std::uint64_t refuses) : tried_(tried), refuses_(refuses) {}
  std::size_t bytes_at_once() const override { return 1 << 20; }
  base::result<void> send(std::span<const Outbox::Batch> batches, const std::string&,
                          unsigned before) override {
    Tried now{{}, before, false};
    for (const Outbox::Batch& batch : batches) now.numbers.push_back(batch.number);
    is_unclear_ = tried_.empty();
    now.taken = !is_unclear_ && std::ranges::find(now.numbers, refuses_) == now.numbers.end();
    tried_.push_back(now);
    if (now.taken) return {};
    return base::fail(base::Code::open_failed, "no");
  }
  bool may_try_again() const override { return is_unclear_; }
  std::string name() const override { return "fake"; }

 private:
  std::vector<Tried>& tried_;
  std::uint64_t refuses_;
  bool is_unclear_ = false;
};

Block health_block(std::uint32_t calls) {
  Rows rows;
  warehouse::Health10s row;
  row.t = 1'795'651'200;
  row.calls = calls;
  rows.of<warehouse::Health10s>().push_back(row);
  return std::move(blocks_of(rows).at(0));
}

TEST(courier, sends_together_the_same_again_and_past_what_is_refused) {
  const test::TemporaryFolder folder;
  auto outbox = Outbox::open({.folder = folder.file("o")});
  ASSERT_TRUE(outbox);
  for (std::uint32_t i = 0; i < 5; ++i) ASSERT_TRUE(outbox->append(health_block(i)));
  ASSERT_TRUE(outbox->sync());
  Figures figures;
  std::vector<Tried> tried;
  std::vector<std::string> told;
  Courier courier(*outbox, std::make_unique<FakeTarget>(tried, 3), {}, "edge", figures,
                  [&](const LogEntry& entry) { told.push_back(entry.text); });
  ASSERT_TRUE(test::wait_until([&] { return figures.batches_total >= 4; }));
  EXPECT_FALSE(courier.finish(std::chrono::milliseconds(0)));
  ASSERT_TRUE(outbox->append(health_block(5)));
  ASSERT_TRUE(outbox->sync());
  courier.wake();
  ASSERT_TRUE(test::wait_until([&] { return figures.batches_total >= 5; }));
  courier.stop();

  const Numbers all{0, 1, 2, 3, 4};
  ASSERT_EQ(tried.size(), 8U);
  EXPECT_EQ(tried[0].numbers, all);
  EXPECT_EQ(std::tie(tried[1].numbers, tried[1].before), std::tuple(all, 1U));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(tried[2 + i].numbers, Numbers{i});
    EXPECT_EQ(tried[2 + i].taken, i != 3);
  }
  EXPECT_EQ(tried[7].numbers, Numbers{5});
  EXPECT_EQ(outbox->waiting(), 1U);
  EXPECT_EQ(figures.batches_aside, 1U);
  EXPECT_EQ(std::ranges::count_if(told,
                                  [](const std::string& text) {
                                    return text.find("1 rows of health_10s wait") != text.npos;
                                  }),
            1);
}

Block position_block(std::uint64_t next) {
  return block_of(std::vector{warehouse::Stream{.stream = 1, .next_block = next, .touched = 1}});
}

// Behind rows that wait because they were refused no position is true; and one that is refused does
// not wait.
TEST(courier, drops_positions_that_nobody_takes_or_that_would_be_ahead) {
  const test::TemporaryFolder folder;
  auto outbox = Outbox::open({.folder = folder.file("o")});
  ASSERT_TRUE(outbox);
  ASSERT_TRUE(outbox->append(health_block(0)));  // the first try is not answered
  ASSERT_TRUE(outbox->append(position_block(1)));
  ASSERT_TRUE(outbox->sync());
  Figures figures;
  std::vector<Tried> tried;
  std::vector<std::string> told;
  Courier courier(*outbox, std::make_unique<FakeTarget>(tried, 1), {}, "edge", figures,
                  [&](const LogEntry& entry) { told.push_back(entry.text); });
  EXPECT_TRUE(courier.finish(std::chrono::seconds(150)));
  EXPECT_EQ(figures.batches_aside, 0U);
  EXPECT_EQ(figures.batches_total, 1U);
  courier.stop();
  ASSERT_FALSE(told.empty());
  EXPECT_NE(told.back().find("fleet schema --apply"), std::string::npos) << told.back();

  ASSERT_TRUE(outbox->append(health_block(2)));
  ASSERT_TRUE(outbox->append(position_block(3)));
  ASSERT_TRUE(outbox->sync());
  tried.assign(1, {});
  Courier second(*outbox, std::make_unique<FakeTarget>(tried, 2), {}, "edge", figures,
                 [](const LogEntry&) {});
  ASSERT_TRUE(test::wait_until([&] { return outbox->waiting() == 1; }));
  second.stop();
  EXPECT_EQ(outbox->first_waiting(), outbox->end()) << "it is set aside";
  ASSERT_EQ(tried.size(), 2U);
  EXPECT_EQ(tried[1].numbers, Numbers{2});
}

}  // namespace
}  // namespace polytrace::collector
