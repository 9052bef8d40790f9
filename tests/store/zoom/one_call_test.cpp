// SPDX-License-Identifier: Apache-2.0
// Calls by number, the next call of some methods, and durations.
#include <random>

#include "store/ask/durations.hpp"
#include "store/ask/one_call.hpp"
#include "store/zoom/zoomed.hpp"

namespace polytrace::store::zooms {
namespace {

std::vector<Stream> some_streams(unsigned seed) {
  const StreamShape shape{.events = 15'000,
                          .methods = 40,
                          .depth = 5 + 20 * (seed % 3),
                          .irregular = seed % 3 * 5,
                          .late = seed % 2 * 20,
                          .tickets = 100,
                          .unwinds = 30};
  return {calls::random_stream(shape, seed), calls::random_stream(shape, 50 + seed)};
}

// Blocks of some hundred events.
Traced traced_in_pieces(unsigned seed) {
  return Traced(some_streams(seed), {.commit_each = 0}, 900);
}

std::uint32_t index_of_method(const Traced& traced, base::Id id) {
  const Entities& entities = traced.frames().entities();
  for (std::size_t i = 0; i < entities.count(EntitySort::method); ++i)
    if (entities.of(EntitySort::method, i).id == id) return static_cast<std::uint32_t>(i);
  return kNoMethod;
}

// Of the calls of a thread, by number in it, their numbers in the index.
std::vector<SliceId> numbers_of(const Traced& traced, std::uint32_t thread) {
  std::vector<SliceId> all;
  const auto blocks = traced.frames().blocks(thread);
  for (std::uint32_t place = 0; place < blocks.size(); ++place) {
    const auto block = *traced.frames().block(thread, place);
    for (std::uint32_t call = 0; call < block->head().enters; ++call)
      all.push_back(slice_id(blocks[place].number, call));
  }
  return all;
}

void expect_call(const Traced& traced, std::uint32_t thread, std::size_t number, SliceId id) {
  const TrueThread& truth = traced.truth()[thread];
  const auto found = find_call(traced.frames(), id);
  ASSERT_TRUE(found) << base::to_text(found.error());
  const TrueCall& call = truth.calls[number];
  EXPECT_EQ(found->thread, thread);
  EXPECT_EQ(found->start, call.start);
  EXPECT_EQ(found->end, call.end);
  EXPECT_EQ(traced.stack(found->path), call.stack);
  EXPECT_EQ(found->how == EndKind::end_of_trace, call.ends == truth.changes.size());
  std::vector<std::pair<std::uint64_t, base::Time>> callers, expected;
  for (const OpenCall& caller : found->callers)
    callers.emplace_back(traced.number_of(caller.call), caller.start);
  for (std::size_t at = truth.callers[number]; at != TrueThread::kNone; at = truth.callers[at])
    expected.emplace_back(at, truth.calls[at].start);
  std::ranges::reverse(expected);
  EXPECT_EQ(callers, expected);
}

TEST(one_call, has_its_start_end_and_callers) {
  for (unsigned seed = 1; seed < 4; ++seed) {
    const Traced traced = traced_in_pieces(seed);
    std::mt19937_64 random(seed);
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
      const auto numbers = numbers_of(traced, thread);
      ASSERT_EQ(numbers.size(), traced.truth()[thread].calls.size());
      for (int i = 0; i < 300; ++i) {
        const std::size_t number = random() % numbers.size();
        expect_call(traced, thread, number, numbers[number]);
      }
    }
    EXPECT_FALSE(find_call(traced.frames(), numbers_of(traced, 1).back() + 1));
    EXPECT_FALSE(find_call(traced.frames(), kNoSlice));
  }
}

TEST(one_call, tells_how_it_ended) {
  using event::Kind;
  const Stream stream{{0, 1, Kind::Enter},  {1, 2, Kind::Enter}, {2, 3, Kind::Enter},
                      {3, 4, Kind::Enter},  {4, 2, Kind::Leave}, {5, 5, Kind::Enter},
                      {6, 5, Kind::Unwind}, {7, 6, Kind::Enter}};
  const std::vector<std::pair<base::Time, EndKind>> expected{
      {7, EndKind::end_of_trace}, {4, EndKind::leave},  {4, EndKind::cut},
      {4, EndKind::cut},          {6, EndKind::unwind}, {7, EndKind::end_of_trace}};
  // In one block, and one block an event or so.
  for (const std::size_t batch : {100U, 1U}) {
    const Traced traced({stream}, {.commit_each = 0}, batch);
    const auto numbers = numbers_of(traced, 0);
    std::vector<std::pair<base::Time, EndKind>> ends;
    for (const SliceId number : numbers) {
      const auto call = find_call(traced.frames(), number);
      ASSERT_TRUE(call);
      ends.emplace_back(call->end, call->how);
    }
    EXPECT_EQ(ends, expected) << batch;
  }
}

Range random_range(const Traced& traced, std::mt19937_64& random) {
  const auto time = [&] {
    const TrueThread& thread = traced.truth()[random() % 2];
    return thread.changes[random() % thread.changes.size()].time +
           static_cast<base::Time>(random() % 3) - 1;
  };
  Range range{.from = time(), .to = time()};
  if (range.from > range.to) std::swap(range.from, range.to);
  if (random() % 3 == 0) range.threads = {static_cast<std::uint32_t>(random() % 2)};
  return range;
}

struct Chosen {
  MethodSet indexes;
  std::vector<base::Id> ids;

  bool has(const TrueCall& call) const {
    return std::ranges::find(ids, call.stack.back()) != ids.end();
  }
};
Chosen random_methods(const Traced& traced, std::mt19937_64& random) {
  Chosen chosen;
  for (std::size_t i = 1 + random() % 3; i-- > 0;) {
    const base::Id id = 1 + random() % 42;  // some are never called
    chosen.ids.push_back(id);
    const std::uint32_t index = index_of_method(traced, id);
    if (index != kNoMethod) chosen.indexes.push_back(index);
  }
  return chosen;
}

bool is_of(const Range& range, std::uint32_t thread) {
  return range.threads.empty() || range.threads[0] == thread;
}

TEST(seek, finds_the_first_or_last_call_of_some_methods_in_a_range) {
  std::size_t found_any = 0;
  for (unsigned seed = 1; seed < 4; ++seed) {
    const Traced traced = traced_in_pieces(seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 300; ++i) {
      const Range range = random_range(traced, random);
      const Chosen methods = random_methods(traced, random);
      using Place = std::tuple<base::Time, std::uint32_t, std::size_t>;
      std::optional<Place> first, last;
      for (std::uint32_t thread = 0; thread < 2; ++thread) {
        const auto& calls = traced.truth()[thread].calls;
        for (std::size_t at = 0; is_of(range, thread) && at < calls.size(); ++at) {
          if (!methods.has(calls[at]) || calls[at].start < range.from ||
              calls[at].start >= range.to)
            continue;
          const Place place{calls[at].start, thread, at};
          first = first ? std::min(*first, place) : place;
          last = last ? std::max(*last, place) : place;
        }
      }
      for (const auto& [direction, place] :
           {std::pair{Direction::next, first}, {Direction::previous, last}}) {
        const auto found = seek(traced.frames(), methods.indexes, range, direction);
        ASSERT_TRUE(found) << base::to_text(found.error());
        ASSERT_EQ(found->has_value(), place.has_value());
        if (!place) continue;
        ++found_any;
        ASSERT_EQ(Place((*found)->start, (*found)->thread, traced.number_of((*found)->call)),
                  *place);
      }
    }
  }
  EXPECT_GT(found_any, 500U);
}

TEST(durations, are_those_of_the_calls_one_by_one) {
  std::uint64_t all_calls = 0;
  for (unsigned seed = 1; seed < 4; ++seed) {
    const Traced traced = traced_in_pieces(seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 150; ++i) {
      const Range range = random_range(traced, random);
      const Chosen methods = random_methods(traced, random);
      using Timed = std::tuple<std::int64_t, base::Time, std::uint32_t, std::size_t, base::Time>;
      std::vector<Timed> expected;  // duration with a minus, so that the slowest is first
      for (std::uint32_t thread = 0; thread < 2; ++thread) {
        const auto& calls = traced.truth()[thread].calls;
        for (std::size_t at = 0; is_of(range, thread) && at < calls.size(); ++at) {
          const TrueCall& call = calls[at];
          if (!methods.has(call) || call.start >= range.to || call.end < range.from) continue;
          const auto cut = std::min(call.end, range.to) - std::max(call.start, range.from);
          expected.emplace_back(-cut, call.start, thread, at, call.end);
        }
      }
      std::ranges::sort(expected);
      const auto told = durations(traced.frames(), methods.indexes, range, 5);
      ASSERT_TRUE(told) << base::to_text(told.error());
      ASSERT_EQ(told->calls, expected.size());
      all_calls += told->calls;
      std::vector<Timed> slowest;
      for (const TimedCall& call : told->slowest)
        slowest.emplace_back(-static_cast<std::int64_t>(call.duration), call.start, call.thread,
                             traced.number_of(call.call), call.end);
      const auto kept = static_cast<std::ptrdiff_t>(std::min<std::size_t>(5, expected.size()));
      ASSERT_EQ(slowest, std::vector<Timed>(expected.begin(), expected.begin() + kept));
      if (expected.empty()) continue;
      std::uint64_t sum = 0;
      for (const Timed& timed : expected) sum += static_cast<std::uint64_t>(-std::get<0>(timed));
      EXPECT_EQ(told->sum, sum);
      EXPECT_EQ(told->most, static_cast<std::uint64_t>(-std::get<0>(expected.front())));
      EXPECT_EQ(told->least, static_cast<std::uint64_t>(-std::get<0>(expected.back())));
      const std::size_t rank = (expected.size() * 90 + 99) / 100;
      const auto nearest = static_cast<double>(
          -std::get<0>(expected[expected.size() - std::max<std::size_t>(rank, 1)]));
      EXPECT_NEAR(static_cast<double>(told->sketch.quantile(90)), nearest, nearest / 30);
    }
  }
  EXPECT_GT(all_calls, 1000U);
}

TEST(durations, and_seek_stop_when_asked) {
  const Traced traced = traced_in_pieces(1);
  const std::atomic<bool> stop{true};
  MethodSet all;
  for (std::uint32_t i = 0; i < 40; ++i) all.push_back(i);
  EXPECT_FALSE(durations(traced.frames(), all, {.stop = &stop}));
  EXPECT_FALSE(seek(traced.frames(), all, {.stop = &stop}, Direction::next));
  EXPECT_TRUE(durations(traced.frames(), all, {}));
}

}  // namespace
}  // namespace polytrace::store::zooms
