// SPDX-License-Identifier: Apache-2.0
// What the calls of Builder mean, one by one; queries while building; conversion of layouts.
#include "history/builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/codes.hpp"
#include "history/history_bytes.hpp"
#include "history/repair.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using polytrace::test::TemporaryFolder;
using testing::ElementsAre;
using testing::ElementsAreArray;
using namespace test;

class builder : public testing::Test {
 protected:
  Builder make(BuildOptions options = {}) {
    options.replace = true;
    auto made = Builder::create(path_, options);
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  History reopen() {
    auto opened = History::open(path_);
    EXPECT_TRUE(opened) << base::to_text(opened.error());
    return std::move(*opened);
  }
  static Span number(Key key, Tick start, Tick end, std::int64_t value) {
    return {key, start, end, Owned::of(Value::of(value))};
  }
  static Span null(Key key, Tick start, Tick end) { return {key, start, end, {}}; }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("history.bin");
};

TEST_F(builder, refuses_an_existing_file_unless_told) {
  folder_.write("history.bin", "precious");
  const auto refused = Builder::create(path_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::output_exists);
  EXPECT_EQ(polytrace::test::content_of(path_), "precious");
  EXPECT_TRUE(Builder::create(path_, {.replace = true}));
}

TEST_F(builder, last_of_several_values_at_one_tick_wins) {
  Builder made = make();
  const Key key = made.key({"a"});
  ASSERT_TRUE(made.modify(5, key, Value::of(std::int64_t{1})));
  ASSERT_TRUE(made.modify(5, key, Value::of(std::int64_t{2})));
  ASSERT_TRUE(made.modify(9, key, Value::of(std::int64_t{3})));
  ASSERT_TRUE(made.modify(9, key, Value::of(std::int64_t{2})));
  ASSERT_TRUE(made.close(20));
  EXPECT_THAT(all_of(reopen(), key), ElementsAre(null(key, 0, 4), number(key, 5, 20, 2)));
}

TEST_F(builder, refused_calls_change_nothing) {
  Builder made = make({.start = 10});
  const Key key = made.key({"a"});
  ASSERT_TRUE(made.modify(15, key, Value::of(std::int64_t{1})));
  EXPECT_EQ(made.modify(20, key, Value::text("x")).error().code, Code::type_conflict);
  EXPECT_EQ(made.modify(12, key, Value::null()).error().code, Code::time_backwards);
  EXPECT_EQ(made.modify(9, key, Value::null()).error().code, Code::time_outside);
  EXPECT_EQ(made.insert(key, 30, 29, Value::null()).error().code, Code::value_unexpected);
  ASSERT_TRUE(made.insert(key, 30, 40, Value::of(std::int64_t{2})));
  EXPECT_EQ(made.insert(key, 40, 50, Value::null()).error().code, Code::intervals_overlap);
  EXPECT_EQ(made.modify(35, key, Value::null()).error().code, Code::intervals_overlap);
  EXPECT_EQ(made.modify(50, kNoKey, Value::null()).error().code, Code::key_unknown);
  ASSERT_TRUE(made.close(60));
  EXPECT_FALSE(made.modify(70, key, Value::null()));
  EXPECT_THAT(all_of(reopen(), key),
              ElementsAre(null(key, 10, 14), number(key, 15, 29, 1), number(key, 30, 40, 2)));
}

TEST_F(builder, stack_keeps_depth_and_values) {
  Builder made = make();
  const Key key = made.key({"thread", "stack"});
  ASSERT_TRUE(made.push(1, key, Value::text("main")));
  ASSERT_TRUE(made.push(3, key, Value::text("work")));
  const auto top = made.pop(7, key);
  ASSERT_TRUE(top);
  EXPECT_EQ(Owned::of(*top).text, "work");
  ASSERT_TRUE(made.pop(9, key));
  EXPECT_TRUE(made.pop(9, key)->is_null());
  const Key second = made.key(key, "2");
  ASSERT_TRUE(made.close(10));
  const History history = reopen();
  EXPECT_THAT(all_of(history, key),
              ElementsAre(null(key, 0, 0), number(key, 1, 2, 1), number(key, 3, 6, 2),
                          number(key, 7, 8, 1), null(key, 9, 10)));
  const Span work{second, 3, 6, Owned::of(Value::text("work"))};
  EXPECT_THAT(all_of(history, second), ElementsAre(null(second, 0, 2), work, null(second, 7, 10)));
  EXPECT_EQ(history.tree().path(history.tree().node(second)), "thread/stack/2");
}

TEST_F(builder, remove_nulls_the_subtree) {
  Builder made = make();
  const Key above = made.key({"a"});
  const Key below = made.key(above, "b");
  ASSERT_TRUE(made.modify(1, above, Value::of(true)));
  ASSERT_TRUE(made.modify(1, below, Value::of(1.5)));
  ASSERT_TRUE(made.remove(4, above));
  EXPECT_TRUE(made.ongoing(above).is_null() && made.ongoing(below).is_null());
  ASSERT_TRUE(made.close(5));
  EXPECT_EQ(reopen().at(5, below)->value().start, 4);
}

TEST_F(builder, current_value_can_be_replaced_until_it_is_flushed) {
  Builder made = make();
  const Key key = made.key({"a"});
  ASSERT_TRUE(made.modify(2, key, Value::of(std::int64_t{1})));
  ASSERT_TRUE(made.set_ongoing(key, Value::of(std::int64_t{7})));
  EXPECT_EQ(made.ongoing(key), Value::of(std::int64_t{7}));
  ASSERT_TRUE(made.flush());
  EXPECT_EQ(made.set_ongoing(key, Value::null()).error().code, Code::time_backwards);
  ASSERT_TRUE(made.close(4));
  EXPECT_THAT(all_of(reopen(), key), ElementsAre(null(key, 0, 1), number(key, 2, 4, 7)));
}

TEST_F(builder, reorder_window_sorts) {
  Builder made = make({.reorder_window = 100, .changes_per_segment = 2});
  const Key key = made.key({"a"});
  for (const Tick t : {50, 20, 90, 120, 70, 200, 130})
    ASSERT_TRUE(made.modify(t, key, Value::of(t)));
  EXPECT_EQ(made.modify(60, key, Value::null()).error().code, Code::time_backwards);
  ASSERT_TRUE(made.close(300));
  std::vector<Tick> starts;
  for (const Span& span : all_of(reopen(), key)) starts.push_back(span.start);
  EXPECT_THAT(starts, ElementsAre(0, 20, 50, 70, 90, 120, 130, 200));
}

TEST_F(builder, gap_of_a_timeline_that_becomes_any_later_is_readable) {
  Builder made = make({.strict_types = false});
  ASSERT_TRUE(made.insert(1, 0, 10, Value::null()));
  ASSERT_TRUE(made.end(20, 1));
  ASSERT_TRUE(made.flush());
  ASSERT_TRUE(made.insert(1, 30, 40, Value::of(std::int64_t{7})));
  ASSERT_TRUE(made.close(50));
  const History history = reopen();
  EXPECT_TRUE(history.verify());
  EXPECT_THAT(all_of(history, 1), ElementsAre(null(1, 0, 10), number(1, 30, 40, 7)));
}

TEST_F(builder, single_paths_are_those_of_the_tree) {
  Builder made = make();
  for (const char* path : {"a/b", "a/b\\/c", "a\\*/b", "a/b/a/b", "\\.."})
    ASSERT_TRUE(made.key(path)) << path;
  const Key alone = 77;
  ASSERT_TRUE(made.declare(alone, Type::integer));
  ASSERT_TRUE(made.close(9));
  const History history = reopen();
  for (const Key key : history.keys()) {
    const Tree::Node node = history.tree().node(key);
    if (key == alone) {
      EXPECT_EQ(history.path(key), std::nullopt);
      continue;
    }
    ASSERT_NE(node, Tree::kNone);
    EXPECT_EQ(history.path(key), history.tree().path(node));
    EXPECT_EQ(history.key(history.tree().path(node)), key);
  }
  for (const char* path : {"a/*", "..", "**", "a/none", "a//b"})
    EXPECT_EQ(history.key(path), std::nullopt) << path;
}

TEST_F(builder, long_texts_and_depths_pass) {
  Builder made = make();
  const std::string huge(1 << 20, 'x');
  Key key = kRoot;
  for (unsigned i = 0; i < 10000; ++i) key = made.key(key, "d");
  ASSERT_TRUE(made.modify(1, key, Value::text(huge)));
  ASSERT_TRUE(made.modify(2, key, Value::text("")));
  ASSERT_TRUE(made.close(3));
  const History history = reopen();
  EXPECT_EQ(history.at(1, key)->value().value.text(), huge);
  EXPECT_EQ(history.at(2, key)->value().value, Value::text(""));
  EXPECT_EQ(history.tree().size(), 10001U);
}

// Paths of all levels together take the square of their number.
TEST_F(builder, levels_beyond_the_limit_have_no_path_when_read) {
  Builder made = make();
  Key key = kRoot;
  for (std::size_t i = 0; i < kMostTreeDepth + 3; ++i) key = made.key(key, "d");
  ASSERT_TRUE(made.modify(1, key, Value::of(std::int64_t{7})));
  EXPECT_EQ(made.name(key + 1, key, "e").error().code, Code::limit_exceeded);
  ASSERT_TRUE(made.close(3));
  const History history = reopen();
  EXPECT_EQ(history.tree().size(), kMostTreeDepth + 1);
  EXPECT_EQ(history.tree().node(key), Tree::kNone);
  EXPECT_EQ(history.at(1, key)->value().value, Value::of(std::int64_t{7}));
}

// Of children with lower numbers than their parents' each waits for all above it.
TEST_F(builder, parents_may_have_higher_keys) {
  constexpr Key kCount = 9000;
  Builder made = make();
  ASSERT_TRUE(made.name(kCount, kRoot, "n"));
  for (Key key = kCount; key > 1; --key) ASSERT_TRUE(made.name(key - 1, key, "n"));
  ASSERT_TRUE(made.close(3));
  const History history = reopen();
  EXPECT_EQ(history.tree().size(), kCount + 1);
  EXPECT_EQ(history.tree().depth(history.tree().node(1)), kCount);
}

TEST_F(builder, million_keys) {
  Builder made = make();
  constexpr Key kCount = 1'000'000;
  for (Key key = 1; key <= kCount; ++key)
    ASSERT_TRUE(made.modify(static_cast<Tick>(key), key, Value::of(std::int64_t{key})));
  ASSERT_TRUE(made.close(kCount));
  const History history = reopen();
  std::uint64_t values = 0;
  ASSERT_TRUE(history.full(kCount / 2,
                           [&](const Interval& in) { values += in.value.is_null() ? 0U : 1U; }));
  EXPECT_EQ(values, kCount / 2);
  EXPECT_EQ(history.at(kCount, 77)->value().start, 77);
}

TEST_F(builder, live_queries_equal_the_finished_answers) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    RandomHistory random(folder_.file(std::to_string(seed)),
                         {.seed = seed, .keys = 10, .changes = 600, .per_segment = 60});
    unsigned count = 0;
    random.feed([&] {
      if (++count % 23 != 0 || HasFailure()) return;
      const Oracle& oracle = random.oracle();
      const Builder& made = random.builder();
      for (const Key key : oracle.keys()) {
        std::vector<Span> all;
        bool ongoing = false;
        ASSERT_TRUE(made.range(key, oracle.start(), oracle.end(), [&](const Interval& in) {
          all.push_back(span_of(in));
          EXPECT_FALSE(ongoing);
          ongoing = in.ongoing;
        }));
        ASSERT_THAT(all, ElementsAreArray(oracle.all(key))) << key;
      }
      const Tick t =
          oracle.start() + static_cast<Tick>(random.below(
                               static_cast<std::uint64_t>(oracle.end() - oracle.start()) + 1));
      std::vector<Span> all;
      ASSERT_TRUE(made.full(t, [&](const Interval& in) { all.push_back(span_of(in)); }));
      EXPECT_THAT(all, ElementsAreArray(oracle.full(t)));
    });
  }
}

TEST_F(builder, other_threads_may_ask_meanwhile) {
  Builder made = make({.changes_per_segment = 500, .live = true});
  const Key key = made.key({"counter"});
  std::atomic<bool> done = false;
  std::uint64_t asked = 0;
  std::thread asker([&] {
    while (!done || asked == 0) {
      const Tick end = made.facts().end;
      Tick last = -1;
      const auto told = made.range(key, 0, end, [&](const Interval& in) {
        EXPECT_EQ(in.start, last + 1);
        if (!in.value.is_null()) {
          EXPECT_EQ(in.value.integer(), in.start);
        }
        last = in.end;
      });
      EXPECT_TRUE(told) << base::to_text(told.error());
      ++asked;
    }
  });
  for (Tick t = 1; t < 20000; ++t) ASSERT_TRUE(made.modify(t, key, Value::of(t)));
  done = true;
  asker.join();
  EXPECT_GT(asked, 0U);
}

TEST_F(builder, both_layouts_hold_the_same) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const bool sparse = seed % 2 == 0;
    RandomHistory random(path_ + std::to_string(seed), {.seed = seed, .sparse = sparse});
    random.feed();
    random.close();
    const std::string stream = folder_.file("stream" + std::to_string(seed));
    const std::string back = folder_.file("back" + std::to_string(seed));
    ASSERT_TRUE(convert(path_ + std::to_string(seed), stream, Layout::stream));
    const auto converted = convert(stream, back, Layout::segmented);
    ASSERT_TRUE(converted) << base::to_text(converted.error());
    EXPECT_TRUE(converted->empty());
    const auto first = History::open(path_ + std::to_string(seed));
    const auto second = History::open(stream);
    const auto third = History::open(back);
    ASSERT_TRUE(first && second && third);
    EXPECT_EQ(second->facts().layout, Layout::stream);
    EXPECT_EQ(first->facts().id, third->facts().id);
    expect_same_answers(*second, random.oracle(), seed);
    expect_same_answers(*third, random.oracle(), seed);
    for (const Key key : first->keys()) {
      EXPECT_EQ(first->type(key), third->type(key));
      if (sparse) continue;
      EXPECT_EQ(first->tree().path(first->tree().node(key)),
                third->tree().path(third->tree().node(key)));
    }
  }
}

}  // namespace
}  // namespace polytrace::history
