// SPDX-License-Identifier: Apache-2.0
// A collector that is ended anywhere, also by a power cut, and goes on: what its store has at the
// end is what one run gives.
#include <gtest/gtest.h>

#include <random>

#include "analysis/asked.hpp"
#include "collector/facts.hpp"
#include "collector/keep/outbox.hpp"
#include "collector/keep/spool.hpp"
#include "collector/live/stream_work.hpp"
#include "collector/medium.hpp"
#include "collector/outbox_ends.hpp"
#include "collector/program.hpp"
#include "collector/streams.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::collector {
namespace {

using event::Batch;
using test::Stream;
using U = std::uint64_t;

constexpr U kStream = 77;
using test::kNoon;
using test::Program;

struct Plan {
  std::vector<test::OwnBlock> blocks{};
  std::map<std::size_t, Time> silences{};  // before that block
  Time lag = 2 * kSecond;
  Time save_each = 20 * kSecond;
};

AggregatorOptions options_of(const Plan& plan) {
  AggregatorOptions options;
  options.lag = plan.lag;
  return options;
}

test::Facts one_run(const Plan& plan) {
  test::Facts facts;
  StreamWork work(kStream, options_of(plan), [&](Rows&& rows) { facts.add(rows); });
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const auto silence = plan.silences.find(i);
    if (silence != plan.silences.end()) {
      EXPECT_TRUE(work.close_until(silence->second));
    }
    EXPECT_TRUE(work.block(plan.blocks[i].view()));
  }
  EXPECT_TRUE(work.finished());
  return facts;
}

// One process of the collector, until it is killed or done.
class Process {
 public:
  Process(const std::string& folder, const Plan& plan, test::Facts& store, test::Medium& medium,
          std::mt19937& random)
      : plan_(plan),
        store_(store),
        medium_(medium),
        random_(random),
        spool_(*Spool::open({.folder = folder + "/spool", .min_free = 0, .file_bytes = 20'000})),
        outbox_(*Outbox::open({.folder = folder + "/outbox", .file_bytes = 20'000})),
        kept_(*Checkpoint::open(folder + "/kept")),
        work_(kStream, options_of(plan),
              [this](Rows&& rows) { waiting_.push_back(std::move(rows)); }, &kept_,
              {.save_each = plan.save_each}) {
    medium_.synced("kept");
    medium_.synced("outbox");
    medium_.synced("spool");
  }

  // False: killed.
  bool run(U steps) {
    left_ = steps;
    EXPECT_TRUE(work_.resume());
    const U next = work_.next_block();
    EXPECT_TRUE(spool_.replay(kStream, next,
                              [&](const BlockCutter::Block& block) { return work_.block(block); }));
    if (!after_work()) return false;
    const auto held = spool_.held(kStream);
    for (std::size_t i = held ? held->next_block + 1 : 0; i < plan_.blocks.size(); ++i) {
      const auto silence = plan_.silences.find(i);
      if (silence != plan_.silences.end() && work_.next_block() + 1 == i) {
        EXPECT_TRUE(work_.close_until(silence->second));
      }
      if (!live() || !after_work()) return false;
      EXPECT_EQ(spool_.append(kStream, plan_.blocks[i].view()), true);
      if (!live()) return false;
      if (random_() % 3 == 0) {
        EXPECT_TRUE(spool_.sync());
        medium_.synced("spool");
      }
      if (!live()) return false;
      EXPECT_TRUE(work_.block(plan_.blocks[i].view()));
      if (!live() || !after_work()) return false;
    }
    EXPECT_TRUE(work_.finished());
    return bring_out(work_.saved()) && drain(~U{0});
  }

 private:
  bool live() { return left_ != 0 && left_-- != 0; }

  bool after_work() {
    auto saved = work_.saved();
    if (saved) newest_ = std::move(saved);
    if (random_() % 4 != 0) return drain(random_() % 2);
    return bring_out(std::exchange(newest_, std::nullopt));
  }
  // All rows so far, then what was saved before.
  bool bring_out(std::optional<Saved> saved) {
    for (; !waiting_.empty(); waiting_.erase(waiting_.begin())) {
      for (const Block& block : blocks_of(waiting_.front())) {
        const auto number = outbox_.append(block);
        EXPECT_TRUE(number);
        // The dictionary takes rows; the batch says whether and when they are there.
        batches_of()[*number] = waiting_.front();
        if (!live()) return false;
      }
    }
    EXPECT_TRUE(kept_.sync());
    medium_.synced("kept");
    if (!live()) return false;
    EXPECT_TRUE(outbox_.sync());
    medium_.synced("outbox");
    if (!live()) return false;
    if (saved) {
      EXPECT_TRUE(kept_.keep(kStream, *saved));
      medium_.synced("kept");
    }
    return live();
  }
  bool drain(U batches) {
    for (; batches > 0; --batches) {
      const auto batch = test::oldest(outbox_);
      if (!batch) return true;
      const auto rows = batches_of().find(batch->number);
      if (rows == batches_of().end()) ADD_FAILURE() << "unknown batch";
      else store_.add(rows->second, batch->block.table);
      if (!live()) return false;  // it was taken, and that is not known
      outbox_.sent(batch->number);
    }
    return true;
  }
  std::map<U, Rows>& batches_of() { return batches; }

  const Plan& plan_;
  test::Facts& store_;
  test::Medium& medium_;
  std::mt19937& random_;
  Spool spool_;
  Outbox outbox_;
  Checkpoint kept_;
  std::vector<Rows> waiting_;
  std::optional<Saved> newest_;
  StreamWork work_;
  U left_ = 0;

 public:
  // Outlives each process: what is in a batch, by its number. One that was not synced has another
  // content later.
  static inline std::map<U, Rows> batches;
};

void expect_same_after_kills(const Plan& plan, const test::Facts& expected, unsigned seed,
                             bool with_gen) {
  std::mt19937 random(seed);
  const test::TemporaryFolder folder;
  test::Medium medium(folder.file("c"));
  test::Facts store;
  Process::batches.clear();
  unsigned kills = 0;
  for (bool done = false; !done; ++kills) {
    const U steps = kills < 12 ? 1 + random() % 150 : ~U{0};
    done = Process(folder.file("c"), plan, store, medium, random).run(steps);
    if (!done && random() % 2 == 0) medium.cut(random);
  }
  EXPECT_GT(kills, 3U);
  if (with_gen) EXPECT_EQ(store.rows, expected.rows) << seed;
  else EXPECT_EQ(store.without_gen().rows, expected.without_gen().rows) << seed;
}

Plan plan_of(unsigned seed, std::size_t events_each) {
  Program program(seed);
  return {.blocks = test::blocks_in(
              test::native_stream(kStream, program.run(240 * kSecond), events_each))};
}

TEST(restart, at_any_point_leaves_the_rows_of_one_run) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Plan plan = plan_of(seed, 10 + seed % 30);
    const test::Facts expected = one_run(plan);
    ASSERT_GT(expected.rows.size(), 500U);
    expect_same_after_kills(plan, expected, seed, true);
  }
}

TEST(restart, also_where_late_events_make_further_rows) {
  for (unsigned seed = 100; seed < 106; ++seed) {
    Plan plan = plan_of(seed, 15);
    plan.lag = 0;
    plan.save_each = 0;
    const test::Facts expected = one_run(plan);
    const auto late = std::ranges::count_if(
        expected.rows, [](const auto& row) { return row.first.second.back() != 0; });
    EXPECT_GT(late, 20);
    expect_same_after_kills(plan, expected, seed, true);
  }
}

// A closing that no journal has any more had no rows anywhere: the window may be closed later,
// whole. So sums are those of one run, and how they are split is not asked.
TEST(restart, also_where_windows_were_closed_by_silence) {
  for (unsigned seed = 200; seed < 210; ++seed) {
    Program program(seed);
    Plan plan;
    std::size_t begin = 0;
    for (int part = 0; part < 3; ++part) {
      const Time from = (1 + 100 * part) * kSecond;
      Batch& all = program.run(from + 50 * kSecond, from);
      while (all.events.size() % 12 != 0)
        Stream(all, 1).add(from + 50 * kSecond, base::kNoId, event::Note{});
      begin = all.events.size() / 12 + 1;
      plan.silences[begin] = kNoon + from + 75 * kSecond;
      if (part == 2) plan.blocks = test::blocks_in(test::native_stream(kStream, all, 12));
    }
    ASSERT_EQ(begin + 1, plan.blocks.size());
    expect_same_after_kills(plan, one_run(plan), seed, false);
  }
}

// Until it is all on the disk; then its memory is given back.
std::unique_ptr<StreamWork> put_away(std::unique_ptr<StreamWork> work, const Plan& plan,
                                     test::Facts& facts, Checkpoint& kept) {
  for (int i = 0; i < 3 && !work->put_away(); ++i)
    if (const auto saved = work->saved()) {
      EXPECT_TRUE(kept.keep(kStream, *saved));
    }
  EXPECT_TRUE(work->put_away());
  const U next = work->next_block();
  work = std::make_unique<StreamWork>(
      kStream, options_of(plan), [&](Rows&& rows) { facts.add(rows); }, &kept,
      StreamOptions{.save_each = plan.save_each});
  EXPECT_TRUE(work->resume());
  EXPECT_EQ(work->next_block(), next);
  return work;
}

TEST(restart, not_at_all_where_a_silent_stream_is_put_away_and_goes_on) {
  for (unsigned seed = 300; seed < 306; ++seed) {
    Program program(seed);
    Plan plan;
    for (int part = 0; part < 3; ++part) {
      const Time from = (1 + 200 * part) * kSecond;
      Batch& all = program.run(from + 50 * kSecond, from);
      while (all.events.size() % 12 != 0)
        Stream(all, 1).add(from + 50 * kSecond, base::kNoId, event::Note{});
      plan.silences[all.events.size() / 12 + 1] = kNoon + from + 150 * kSecond;
      if (part == 2) plan.blocks = test::blocks_in(test::native_stream(kStream, all, 12));
    }
    const test::TemporaryFolder folder;
    Checkpoint kept = *Checkpoint::open(folder.file("kept"));
    test::Facts facts;
    auto work = std::make_unique<StreamWork>(
        kStream, options_of(plan), [&](Rows&& rows) { facts.add(rows); }, &kept,
        StreamOptions{.save_each = plan.save_each});
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
      if (const auto silence = plan.silences.find(i); silence != plan.silences.end()) {
        EXPECT_TRUE(work->close_until(silence->second));
        work = put_away(std::move(work), plan, facts, kept);
      }
      EXPECT_TRUE(work->block(plan.blocks[i].view()));
      if (const auto saved = work->saved()) {
        EXPECT_TRUE(kept.keep(kStream, *saved));
      }
    }
    EXPECT_TRUE(work->finished());
    EXPECT_EQ(facts.rows, one_run(plan).rows) << seed;
  }
}

}  // namespace
}  // namespace polytrace::collector
