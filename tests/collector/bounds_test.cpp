// SPDX-License-Identifier: Apache-2.0
// What one program may bring, and all of them: beyond it sums stay, and it is told.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "analysis/asked.hpp"
#include "base/codes.hpp"
#include "collector/facts.hpp"
#include "collector/flow/packer.hpp"
#include "collector/live/stream_work.hpp"
#include "collector/outbox_ends.hpp"
#include "collector/streams.hpp"
#include "support/temporary_folder.hpp"
#include "support/waiting.hpp"

namespace polytrace::collector {
namespace {

using event::Batch;
using test::Stream;
using Kind = Novelty::Kind;

constexpr Time kThatNoon = 1'795'694'400 * kSecond;

TEST(novelty, what_was_told_stays_and_what_is_new_is_counted) {
  std::int64_t now = 1'795'694'400;
  Novelty novelty({.names = 3, .stacks = 2}, [&] { return now; });
  for (std::uint64_t id = 0; id < 10; ++id) EXPECT_EQ(novelty.admits(Kind::name, id), id < 3);
  for (std::uint64_t id = 0; id < 3; ++id) EXPECT_TRUE(novelty.admits(Kind::name, id));
  EXPECT_EQ(novelty.refused(Kind::name), 7U);
  for (std::uint64_t id = 0; id < 10; ++id) EXPECT_EQ(novelty.admits(Kind::stack, id), id < 2);
  now += 3600;
  EXPECT_TRUE(novelty.admits(Kind::name, 9));
  EXPECT_FALSE(novelty.admits(Kind::stack, 9));
  now += 86'400;
  EXPECT_TRUE(novelty.admits(Kind::stack, 9));
  EXPECT_EQ(novelty.refused(Kind::name), 7U);
}

// Calls of many methods, each from each other one: names and stacks.
Batch busy(std::uint64_t methods) {
  Batch batch;
  event::Clock clock;
  clock.wall = kThatNoon;
  Stream stream(batch, 1);
  stream.add(0, base::kNoId, clock);
  for (base::Id id = 1; id <= methods; ++id) stream.method(id, fmt::format("Shop.m{}", id));
  Time time = 0;
  for (base::Id outer = 1; outer <= methods; ++outer) {
    stream.add(time += 1000, outer, event::Enter{});
    for (base::Id inner = 1; inner <= methods; ++inner) {
      stream.add(time += 1000, inner, event::Enter{});
      stream.add(time += 1000, inner, event::Leave{});
    }
    stream.add(time += 1000, outer, event::Leave{});
  }
  return batch;
}

struct BoundedRows {
  Rows rows{};
  Aggregator aggregator;
  explicit BoundedRows(AggregatorOptions options)
      : aggregator(std::move(options), [this](Rows&& more) { rows.append(std::move(more)); }) {}
  void run(const Batch& batch) {
    EXPECT_TRUE(aggregator.consume(batch));
    aggregator.finish();
  }
  std::pair<std::uint64_t, std::uint64_t> sums() const {
    std::pair<std::uint64_t, std::uint64_t> sums;
    for (const auto& row : rows.of<warehouse::Profile10s>()) {
      sums.first += row.count;
      sums.second += row.weight;
    }
    return sums;
  }
  std::size_t named(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        rows.of<warehouse::Frame>(), [&](const auto& row) { return row.name == name; }));
  }
};

TEST(novelty, names_and_stacks_beyond_it_are_many_and_sums_are_exact) {
  const Batch batch = busy(15);
  BoundedRows free(AggregatorOptions{});
  free.run(batch);
  EXPECT_EQ(free.named("(many)") + free.named("(many stacks)"), 0U);
  ASSERT_EQ(free.sums().first, 15U * 16U);

  Novelty few_names({.names = 4});
  BoundedRows names({.novelty = &few_names});
  names.run(batch);
  EXPECT_EQ(names.named("(many)"), 1U);
  EXPECT_EQ(names.rows.of<warehouse::Frame>().size(), 5U);
  EXPECT_EQ(names.sums(), free.sums());
  EXPECT_GT(few_names.refused(Kind::name), 0U);

  Novelty few_stacks({.stacks = 7});
  BoundedRows stacks({.novelty = &few_stacks});
  stacks.run(batch);
  EXPECT_EQ(stacks.named("(many stacks)"), 1U);
  EXPECT_EQ(stacks.rows.of<warehouse::Stack>().size(), 8U);
  EXPECT_EQ(stacks.rows.of<warehouse::Profile10s>().size(), 8U);
  EXPECT_EQ(stacks.sums(), free.sums());
}

TEST(novelty, names_are_told_again_when_there_is_room) {
  std::int64_t now = 0;
  Novelty novelty({.names = 2}, [&] { return now; });
  BoundedRows made({.novelty = &novelty});
  Batch batch = busy(6);
  EXPECT_TRUE(made.aggregator.consume(batch));
  made.aggregator.close_until(kThatNoon + 3600 * kSecond);
  EXPECT_EQ(made.named("Shop.m6"), 0U);
  now = 3600;
  Batch later;
  Stream(later, 1).add(20 * kSecond, 6, event::Enter{}).add(21 * kSecond, 6, event::Leave{});
  made.run(later);
  EXPECT_EQ(made.named("Shop.m6"), 1U);
}

TEST(novelty, labels_of_too_many_names_are_one_and_series_stay_apart) {
  Novelty novelty({.programs = 1, .label_names = 2});
  std::vector<std::uint64_t> series;
  for (const char* third : {"x", "y"}) {
    BoundedRows made({.labels = {{"a", "1"}, {"b", "2"}, {"c", third}}, .novelty = &novelty});
    made.run(busy(2));
    const auto& rows = made.rows.of<warehouse::Series>();
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows.back().label_names, (std::vector<std::string>{"a", "b", "(many)"}));
    series.push_back(rows.back().series);
    EXPECT_EQ(made.aggregator.is_one_too_many(), series.size() == 2);
  }
  EXPECT_NE(series[0], series[1]);
}

// The first block that is refused, and why; empty: none.
std::string refusal(const Batch& batch, StreamOptions limits) {
  StreamWork work(7, {}, [](Rows&&) {}, nullptr, limits);
  for (const auto& block : test::blocks_in(test::native_stream(7, batch, 100)))
    if (const auto done = work.block(block.view()); !done) {
      EXPECT_EQ(done.error().code, base::Code::limit_exceeded);
      return done.error().detail;
    }
  return {};
}

TEST(stream_bounds, hold_for_classes_and_open_calls_alike) {
  Batch classes;
  Batch calls;
  event::Clock clock;
  clock.wall = kThatNoon;
  Stream(calls, 1).add(0, base::kNoId, clock);
  for (base::Id id = 1; id <= 1000; ++id) {
    Stream(classes, 1).type(id, fmt::format("T{}", id));
    Stream(calls, 1).add(static_cast<Time>(id), id % 3 + 1, event::Enter{});
  }
  EXPECT_EQ(refusal(classes, {}), "");
  EXPECT_EQ(refusal(calls, {}), "");
  EXPECT_EQ(refusal(classes, {.most_classes = 500}), "more than 500 classes");
  EXPECT_EQ(refusal(calls, {.most_open_calls = 500}), "more than 500 open calls");
}

// A program that goes ever deeper, and one that comes back: the tree is bounded, sums are exact.
TEST(stream_bounds, trees_of_stacks_have_other_paths) {
  const Batch batch = busy(60);
  BoundedRows free({.most_rows = 10'000});
  BoundedRows few({.most_rows = 10'000, .most_nodes = 100});
  free.run(batch);
  few.run(batch);
  EXPECT_EQ(few.sums(), free.sums());
  EXPECT_LT(few.rows.of<warehouse::Stack>().size(), 200U);
  EXPECT_EQ(few.named("(other paths)"), 1U);
  EXPECT_LT(few.aggregator.bytes(), free.aggregator.bytes());
}

TEST(packer, drops_rows_of_methods_where_the_outbox_is_nearly_full_and_counts_them) {
  const test::TemporaryFolder folder;
  auto outbox = Outbox::open(
      {.folder = folder.file("o"), .bytes = 400'000, .high = 0.1, .file_bytes = 20'000});
  auto checkpoint = Checkpoint::open(folder.file("k"));
  auto marks = ThinMarks::open(folder.file("marks"), 0);
  ASSERT_TRUE(outbox && checkpoint && marks);
  Figures figures;
  std::uint64_t given = 0;
  std::vector<std::string> told;
  {
    Packer packer(
        *outbox, *marks, "edge.1", 1, kEnoughBytesOfBlock, *checkpoint, figures,
        [&](const LogEntry& entry) { told.push_back(entry.text); }, [] {});
    while (figures.rows_thinned_total == 0) {
      Rows rows;
      for (std::uint64_t i = 0; i < 2000; ++i, ++given) {
        warehouse::Methods1m row;
        row.t = 1'795'694'400;
        row.hour = row.t / 3600;
        row.method = given * 0x9e3779b97f4a7c15U;
        row.self_ns = row.method * 31;
        rows.of<warehouse::Methods1m>().push_back(row);
      }
      // It packs what came, then what comes next.
      const std::uint64_t before = outbox->bytes();
      packer.take(std::move(rows), {});
      ASSERT_TRUE(test::wait_until(
          [&] { return outbox->bytes() != before || figures.rows_thinned_total != 0; }));
    }
    Rows profile;
    profile.of<warehouse::Profile10s>().emplace_back().t = 1'795'694'400;
    packer.take(std::move(profile), {});
  }
  std::uint64_t methods = 0;
  std::uint64_t others = 0;
  while (const auto batch = test::oldest(*outbox)) {
    (batch->block.table == "methods_1m" ? methods : others) += batch->block.rows;
    outbox->sent(batch->number);
  }
  EXPECT_EQ(methods + figures.rows_thinned_total, given);
  EXPECT_GT(methods, 0U);
  EXPECT_EQ(others, 1U);
  ASSERT_FALSE(told.empty());
  EXPECT_NE(told[0].find("rows of methods are dropped"), std::string::npos);
}

}  // namespace
}  // namespace polytrace::collector
