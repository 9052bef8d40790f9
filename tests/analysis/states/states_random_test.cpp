// SPDX-License-Identifier: Apache-2.0
// Whatever a trace says, its states are a sound history: nothing is refused, and neither batches
// nor memory decide what they are.
#include "analysis/derived.hpp"

#include "base/codes.hpp"
#include "support/random.hpp"

namespace polytrace::test {
namespace {

using event::Kind;

// Kinds that make states more often than the others.
constexpr Kind kBusy[] = {Kind::Enter,   Kind::Leave,        Kind::Sample, Kind::Wait,
                          Kind::Monitor, Kind::Gc,           Kind::Alloc,  Kind::Free,
                          Kind::Census,  Kind::CounterValue, Kind::Thread, Kind::SyncPoint};

std::vector<event::Batch> random_trace(std::uint64_t seed) {
  test::RandomEvents random(seed);
  std::vector<event::Batch> batches(8);
  for (event::Batch& batch : batches) {
    for (int i = 0; i < 250; ++i) {
      if (random.below(2) == 0) random.add_any(batch);
      else random.add(batch, kBusy[random.below(std::size(kBusy))]);
      event::Event& event = batch.events.end()[-1];
      if (random.below(4) != 0) event.id = random.below(6);  // so that things meet
      if (random.below(50) == 0) event.time = static_cast<std::int64_t>(random.below(~0ULL) | 1);
      if (random.below(50) == 0) event.time = INT64_MIN + 1;
      if (random.below(200) == 0) event.time = INT64_MAX;
    }
  }
  return batches;
}

std::string all_states(const Derived& derived) {
  std::string out;
  for (const auto key : derived.history().keys()) {
    const auto node = derived.history().tree().node(key);
    out += derived.history().tree().path(node) + ":";
    const auto done = derived.history().range(
        key, derived.extent().first, derived.extent().last, [&](const history::Interval& interval) {
          out += fmt::format(" {} {};", interval.start, text(interval.value));
        });
    out += done ? "\n" : base::to_text(done.error());
  }
  return out;
}

TEST(states_of_random_traces, are_never_refused) {
  std::size_t states = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<event::Batch> batches = random_trace(seed);
    const auto feed = [&](analysis::States& to) {
      for (const event::Batch& batch : batches) EXPECT_TRUE(to.consume(batch));
    };
    const Derived much(feed);
    const Derived little(feed, {.sort_bytes = 1});
    for (const base::Notice& notice : much.notices().sorted())
      EXPECT_EQ(notice.code, base::Code::number_clamped) << notice.detail;
    const std::string all = all_states(much);
    ASSERT_EQ(all_states(little), all);
    states += all.size();
  }
  EXPECT_GT(states, 1000000U);
}

}  // namespace
}  // namespace polytrace::test
