// SPDX-License-Identifier: Apache-2.0
// What comes out of an index is what its source told: every event in its order, every field, all
// notices, the tally.
#include <gtest/gtest.h>

#include <random>

#include "base/codes.hpp"
#include "store/built.hpp"
#include "support/random.hpp"

namespace polytrace::store::indexes {
namespace {

using event::Batch;
using event::Kind;

TEST(store_identity, every_sample_comes_out_as_it_went_in) {
  const auto opened =
      for_each_recording(0, [](event::Reader& reader) { expect_identity(*tell(reader)); });
  EXPECT_GE(opened, 15U);
}

TEST(store_identity, any_events_come_out_as_they_went_in) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomEvents random(seed);
    Told told;
    for (int i = 0; i < 20'000; ++i) random.add_any(told.batch);
    expect_identity(told);
    expect_identity(told, {.encoders = 3, .most_open = 1 << 20, .most_paths = 64});
  }
}

// Calls as programs make them and as recorders lose them.
class RandomCalls {
 public:
  explicit RandomCalls(event::u64 seed) : random_(seed), engine_(seed) {}

  void add(Batch& batch) {
    const std::size_t thread = below(kThreads);
    const auto slot = batch.thread_slot(100 + thread);
    auto& open = open_[thread];
    const event::u64 burst = below(4) == 0 ? below(300) : 1;
    for (event::u64 i = 0; i < burst; ++i) add_one(batch, slot, open);
  }

 private:
  static constexpr std::size_t kThreads = 5;
  event::u64 below(event::u64 count) { return engine_() % count; }

  void add_one(Batch& batch, std::uint16_t slot, std::vector<event::Id>& open) {
    time_ += static_cast<base::Time>(below(below(50) == 0 ? 20'000'000'000 : 400));
    const base::Time late = below(40) == 0 ? static_cast<base::Time>(below(5000)) : 0;
    const event::u64 what = below(100);
    if (what < 3) return random_.add_any(batch);
    if (what < 50) {
      open.push_back(below(2 + open.size() % 50));
      return batch.add_plain(time_ - late, slot, open.back(), Kind::Enter);
    }
    const Kind kind = what < 53 ? Kind::Unwind : Kind::Leave;
    if (what > 97) return batch.add_plain(time_ - late, slot, below(60), kind);
    if (what > 96) return batch.add_plain(time_ - late, slot, base::kNoId, kind);
    if (open.empty()) return;
    const event::u64 gone = what > 94 ? below(open.size()) : 0;
    open.resize(open.size() - gone);
    const event::Id id = open.back();
    open.pop_back();
    batch.add_plain(time_ - late, slot, id, kind);
  }

  test::RandomEvents random_;
  std::mt19937_64 engine_;
  base::Time time_ = 1'000'000;
  std::array<std::vector<event::Id>, kThreads> open_;
};

TEST(store_identity, calls_come_out_whatever_is_missing) {
  for (unsigned seed = 11; seed < 15; ++seed) {
    SCOPED_TRACE(seed);
    RandomCalls random(seed);
    Told told;
    while (told.batch.events.size() < 300'000) random.add(told.batch);
    expect_identity(told);
    expect_identity(told, {.encoders = 2, .most_open = 1 << 20, .most_paths = 50});
  }
}

TEST(store_identity, bytes_are_the_same_with_any_number_of_encoders) {
  RandomCalls random(21);
  Batch batch;
  while (batch.events.size() < 200'000) random.add(batch);
  const Batch* const all[]{&batch};
  const auto alone = index_of(all), many = index_of(all, {.encoders = 4});
  const auto a = alone->view().bytes(), b = many->view().bytes();
  EXPECT_TRUE(std::ranges::equal(a, b)) << a.size() << ' ' << b.size();
}

TEST(store_identity, parts_decoded_by_many_at_once_are_the_same) {
  RandomCalls random(31);
  Told told;
  while (told.batch.events.size() < 500'000) random.add(told.batch);
  const Batch* const all[]{&told.batch};
  StoreReader reader(index_of(all));
  EXPECT_EQ(difference(told.batch, tell(reader, 4)->batch), "");
}

TEST(store_identity, nothing_told_is_nothing_again) {
  Told told;
  told.outcome.tally.frames = 3;
  told.outcome.notices.add(base::Code::padding, {.offset = 7, .frame = "x"}, 2, "\"detail\"");
  told.outcome.error = base::Error{base::Code::read_failed, {}, "gone"};
  expect_identity(told);
}

}  // namespace
}  // namespace polytrace::store::indexes
