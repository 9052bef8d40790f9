// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "store/zoom/zoomed.hpp"

namespace polytrace::store::zooms {
namespace {

// Frames of few cells, so that small traces have many at many levels.
BuildOptions small_frames(std::uint64_t commit_each = ~std::uint64_t{0}) {
  return {.commit_each = commit_each, .cells = {.frame_cells = 64, .least_calls = 16}};
}

std::size_t frames_of_cells(const Traced& traced) {
  std::size_t all = 0;
  for (std::uint32_t i = 0; i < traced.frames().threads(); ++i)
    all += traced.frames().cells(i).size();
  return all;
}

// Three ways to the same items.
void expect_zooms(const Traced& traced, unsigned seed, int times = 150) {
  std::mt19937_64 random(seed);
  const Blocks blocks(traced.frames());
  for (std::uint32_t thread = 0; thread < traced.truth().size(); ++thread) {
    for (int i = 0; i < calls::tried(times); ++i) {
      const Zoom asked = random_zoom(traced, thread, random);
      const auto expected = traced.expected(asked);
      const auto where = "level " + std::to_string(asked.level) + ", buckets " +
                         std::to_string(asked.first_bucket) + " to " +
                         std::to_string(asked.end_bucket);
      ASSERT_EQ(traced.told(traced.frames(), asked), expected) << where;
      ASSERT_EQ(traced.told(blocks, asked), expected) << where;
    }
  }
}

TEST(zoom, says_what_the_calls_say_one_by_one) {
  for (unsigned seed = 1; seed < 13; ++seed) {
    const StreamShape shape{.events = 20'000,
                            .methods = 10,
                            .depth = 4 + 6 * (seed % 4),
                            .irregular = seed % 3 * 5,
                            .late = seed % 2 * 20,
                            .tickets = seed % 2 * 100,
                            .waits = 5,
                            .unwinds = 20,
                            .long_steps = seed % 4 == 0 ? 1U : 0U,
                            .step = seed % 5 == 0 ? 3U : 200U};
    const Traced traced({calls::random_stream(shape, seed), calls::random_stream(shape, 50 + seed)},
                        small_frames(seed % 2 == 0 ? 0 : ~std::uint64_t{0}),
                        seed % 2 == 0 ? 700 : 5000);
    EXPECT_GT(frames_of_cells(traced), 3U) << seed;
    expect_zooms(traced, seed);
  }
}

TEST(zoom, says_it_of_frames_of_their_usual_size) {
  const StreamShape shape{.events = 400'000, .methods = 10, .depth = 6, .late = 1, .step = 40};
  const Traced traced({calls::random_stream(shape, 3)}, {});
  EXPECT_GT(frames_of_cells(traced), 2U);
  expect_zooms(traced, 4, 60);
}

// What is given up for want of memory is made of blocks.
TEST(zoom, says_it_however_little_memory_its_cells_were_made_in) {
  const StreamShape shape{.events = 20'000, .methods = 10, .depth = 12};
  const std::vector<Stream> streams{calls::random_stream(shape, 1), calls::random_stream(shape, 2)};
  BuildOptions options = small_frames(0);
  options.cells.most_bytes = 20'000;
  const Traced traced(streams, options, 500);
  expect_zooms(traced, 5, 60);
  for (const std::size_t most : {20'000U, 200'000U}) {
    WholeLog whole;
    CellMaker maker({.frame_cells = 64, .least_calls = 16, .most_bytes = most}, whole);
    std::size_t frames = 0, reached = 0;
    const auto take = [&](const CellFrame&) { ++frames; };
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
      for (std::uint32_t place = 0; place < traced.frames().blocks(thread).size(); ++place) {
        const base::Bytes payload = *traced.frames().payload(thread, place);
        maker.add(traced.origin(),
                  {.head = *read_block_head(payload),
                   .number = traced.frames().blocks(thread)[place].number,
                   .sums = {}},
                  payload, take);
        reached = std::max(reached, maker.bytes());
      }
    }
    EXPECT_LE(reached, most);
    EXPECT_GT(reached, 5'000U);
    EXPECT_GT(frames, 0U);
    maker.finish(take);
    EXPECT_EQ(maker.bytes(), 0U);
  }
}

TEST(zoom, says_it_of_stacks_that_cross_many_blocks) {
  StreamShape shape{.events = 30'000, .methods = 5, .depth = 900, .irregular = 1};
  Stream stream = calls::random_stream(shape, 7);
  // Outer calls that go on over all that follows.
  for (base::Id id = 40; id-- > 0;)
    stream.insert(stream.begin(),
                  {900'000 + static_cast<base::Time>(40 - id), 900 + id, event::Kind::Enter});
  std::ranges::sort(stream.begin(), stream.begin() + 40, {}, &calls::Told::time);
  const Traced traced({stream}, small_frames(0), 500);
  EXPECT_GT(traced.frames().blocks(0).size(), 50U);
  EXPECT_GT(frames_of_cells(traced), 0U);
  expect_zooms(traced, 8, 100);
}

// What another thread did first is what buckets are counted from.
TEST(zoom, has_buckets_before_the_origin) {
  Stream first = calls::random_stream({.events = 3000}, 1);
  Stream before = first;
  for (calls::Told& told : before) told.time -= 200'000;
  const Traced traced({first, before}, small_frames());
  const Zoom asked{.thread = 1, .level = 10, .first_bucket = -400, .end_bucket = 0};
  const auto items = traced.told(traced.frames(), asked);
  EXPECT_FALSE(items.empty());
  EXPECT_EQ(items, traced.expected(asked));
  expect_zooms(traced, 2);
}

TEST(zoom, counts_every_call_of_a_row_once_over_neighbouring_ranges) {
  const Traced traced({calls::random_stream({.events = 20'000, .depth = 12}, 9)}, small_frames());
  std::map<std::uint32_t, std::uint64_t> begun;
  for (const TrueCall& call : traced.truth()[0].calls)
    ++begun[static_cast<std::uint32_t>(call.stack.size() - 1)];
  for (const unsigned level : {4U, 9U, 13U, 18U, 30U}) {
    std::map<std::uint32_t, std::uint64_t> counted;
    const std::int64_t end = true_bucket(traced.truth()[0].last, traced.origin(), level) + 1;
    for (std::int64_t bucket = 0; bucket < end; bucket += 512)
      for (const Item& item : traced.told(
               traced.frames(),
               {.thread = 0, .level = level, .first_bucket = bucket, .end_bucket = bucket + 512}))
        counted[item.row] += item.count;
    EXPECT_EQ(counted, begun) << level;
  }
}

// Both children of a range as one of the next level.
std::vector<Item> joined(const std::vector<Item>& left, const std::vector<Item>& right,
                         unsigned level, base::Time origin) {
  const std::uint64_t width = std::uint64_t{1} << level;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Item> wide;
  std::vector<Item> rest;
  for (const auto* const items : {&left, &right}) {
    for (const Item& item : *items) {
      if (!item.is_wide) rest.push_back(item);
      if (!item.is_wide) continue;
      const auto [at, fresh] = wide.try_emplace({item.row, item.call}, item);
      if (fresh) continue;
      at->second.end = item.end;
      at->second.ends_behind = item.ends_behind;
      at->second.busy += item.busy;
    }
  }
  std::vector<Item> all;
  for (const auto& [key, item] : wide) {
    if (item.longest >= width) {
      all.push_back(item);
    } else if (item.count == 1) {
      const auto end = item.start + static_cast<base::Time>(item.longest);
      rest.push_back({item.row, item.start, end, 1, item.longest, item.longest, item.call,
                      item.path, false, false, false});
    }
  }
  std::map<std::pair<std::uint32_t, std::int64_t>, Item> narrow;
  std::ranges::sort(rest, {}, &Item::start);
  std::ranges::stable_sort(rest, {}, &Item::call);
  for (const Item& item : rest) {
    const auto [at, fresh] =
        narrow.try_emplace({item.row, true_bucket(item.start, origin, level)}, item);
    if (fresh) continue;
    Item& sum = at->second;
    const Item& longest = item.longest > sum.longest ? item : sum;
    sum = {sum.row,
           std::min(sum.start, item.start),
           std::max(sum.end, item.end),
           sum.count + item.count,
           sum.busy + item.busy,
           longest.longest,
           longest.call,
           longest.path,
           false,
           false,
           false};
  }
  for (const auto& [key, item] : narrow) all.push_back(item);
  std::ranges::sort(all, {},
                    [](const Item& item) { return std::tuple(item.row, item.start, item.call); });
  return all;
}

TEST(zoom, of_a_level_is_a_function_of_the_next_finer_one) {
  const Traced traced({calls::random_stream({.events = 20'000, .depth = 12, .irregular = 5}, 9)},
                      small_frames());
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    Zoom asked = random_zoom(traced, 0, random);
    asked.end_bucket = asked.first_bucket + 2 * (1 + static_cast<std::int64_t>(random() % 100));
    auto whole = traced.told(traced.frames(), asked);
    std::ranges::sort(whole, {},
                      [](const Item& item) { return std::tuple(item.row, item.start, item.call); });
    if (asked.level == 0) continue;
    Zoom left = asked, right = asked;
    left.level = right.level = asked.level - 1;
    left.first_bucket = asked.first_bucket * 2;
    left.end_bucket = right.first_bucket = asked.first_bucket + asked.end_bucket;
    right.end_bucket = asked.end_bucket * 2;
    ASSERT_EQ(whole, joined(traced.told(traced.frames(), left), traced.told(traced.frames(), right),
                            asked.level, traced.origin()))
        << asked.level;
  }
}

TEST(zoom, gives_nothing_where_there_is_nothing_and_refuses_levels_that_there_are_not) {
  const Traced traced({calls::random_stream({.events = 1000}, 9)}, small_frames());
  const auto count = [&](const Zoom& asked) { return traced.told(traced.frames(), asked).size(); };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(count({.thread = 7, .level = 3, .first_bucket = 0, .end_bucket = 100}), 0U);
  EXPECT_EQ(count({.thread = 0, .level = 3, .first_bucket = 5, .end_bucket = 5}), 0U);
  EXPECT_EQ(count({.thread = 0, .level = 3, .first_bucket = 9, .end_bucket = 5}), 0U);
  EXPECT_EQ(count({.thread = 0, .level = 40, .first_bucket = kMost - 1, .end_bucket = kMost}), 0U);
  EXPECT_GT(count({.thread = 0, .level = 62, .first_bucket = -kMost, .end_bucket = kMost}), 0U);
  EXPECT_FALSE(zoom(traced.frames(), 0, {.level = 63, .end_bucket = 1}, [](const ZoomItem&) {}));
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(zoom(traced.frames(), traced.origin(),
                    {.level = 3, .end_bucket = 100, .stop = &stop}, [](const ZoomItem&) {}));
}

}  // namespace
}  // namespace polytrace::store::zooms
