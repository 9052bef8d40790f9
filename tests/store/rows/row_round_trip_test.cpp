// SPDX-License-Identifier: Apache-2.0
// Random events of every kind become row segments and events again.
#include <gtest/gtest.h>

#include <thread>

#include "event/copy.hpp"
#include "store/rows/row_tables.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"

namespace polytrace::store {
namespace {

using event::Batch;
using event::Kind;

event::Batch random_batch(Kind kind, unsigned seed, unsigned events) {
  Batch batch;
  test::RandomEvents random(seed);
  for (unsigned i = 0; i < events; ++i) random.add(batch, kind);
  return batch;
}

Batch decoded(const std::string& payload, const RowMeanings& meanings) {
  Batch batch;
  auto view = RowView::open(bytes_of(payload));
  EXPECT_TRUE(view) << to_text(view.error());
  if (!view) return batch;
  const auto loaded = view->load();
  EXPECT_TRUE(loaded) << to_text(loaded.error());
  for (u32 row = 0; loaded && row < view->rows(); ++row) view->add(row, meanings, batch);
  return batch;
}

void expect_same(const Batch& was, const Batch& is) {
  ASSERT_EQ(is.events.size(), was.events.size());
  for (std::size_t i = 0; i < was.events.size(); ++i)
    ASSERT_TRUE(test::same_event(was, was.events[i], is, is.events[i])) << "event " << i;
}

class every_kind : public testing::TestWithParam<u32> {
 protected:
  Kind kind() const { return static_cast<Kind>(GetParam()); }
};

TEST_P(every_kind, comes_back_as_it_was) {
  for (const unsigned longest_path : {0U, 3U, 100U}) {
    const Batch batch = random_batch(kind(), GetParam() + 1, 300);
    TestTables tables(longest_path);
    RowEncoder encoder(kind(), tables, &tables);
    add_all(batch, tables, encoder);
    std::string payload;
    encoder.finish(payload, 4711);
    expect_same(batch, decoded(payload, tables));
    EXPECT_EQ(RowView::open(bytes_of(payload))->first_row(), 4711U);
    EXPECT_EQ(RowView::open(bytes_of(payload))->kind(), kind());
  }
}

TEST_P(every_kind, comes_back_without_paths_event_by_event) {
  const Batch batch = random_batch(kind(), 77, 20);
  TestTables tables;
  RowEncoder encoder(kind(), tables);
  for (const event::Event& event : batch.events) {
    encoder.add(batch, event, tables.thread_index(batch.thread(event)), tables.subject_of(event));
    std::string payload;
    encoder.finish(payload, 0);
    EXPECT_EQ(encoder.rows(), 0U);
    Batch one;
    event::copy_event(batch, event, one);
    expect_same(one, decoded(payload, tables));
  }
}

INSTANTIATE_TEST_SUITE_P(rows, every_kind,
                         testing::Range(u32{0}, static_cast<u32>(event::kKindCount)),
                         [](const auto& tested) {
                           const auto kind = static_cast<Kind>(tested.param);
                           return std::string(event::describe(kind).name);
                         });

TEST(row_segment, tells_nothing_of_events_that_tell_nothing) {
  Batch batch;
  const auto thread = batch.thread_slot(5);
  for (int i = 0; i < 10; ++i) batch.add_plain(i * 10, thread, base::kNoId, Kind::Alloc);
  TestTables tables;
  RowEncoder encoder(Kind::Alloc, tables, &tables);
  add_all(batch, tables, encoder);
  std::string payload;
  encoder.finish(payload, 0);
  EXPECT_EQ(RowView::open(bytes_of(payload))->columns().size(), 2U);  // time, thread
  const Batch back = decoded(payload, tables);
  expect_same(batch, back);
  EXPECT_EQ(back.events[3].detail, event::kAbsent);
}

TEST(row_segment, is_full_with_as_many_rows_as_it_holds) {
  const Batch batch = random_batch(Kind::Gc, 3, kMostRows);
  TestTables tables;
  RowEncoder encoder(Kind::Gc, tables, &tables);
  for (const event::Event& event : batch.events) {
    ASSERT_FALSE(encoder.full());
    encoder.add(batch, event, tables.thread_index(batch.thread(event)), tables.subject_of(event));
  }
  EXPECT_TRUE(encoder.full());
  EXPECT_GT(encoder.bytes(), std::size_t{kMostRows} * 3 * sizeof(u64));
  std::string payload;
  encoder.finish(payload, 0);
  EXPECT_FALSE(encoder.full());
  expect_same(batch, decoded(payload, tables));
}

TEST(row_segment, is_full_with_many_elements_of_lists) {
  Batch batch;
  auto& refs = batch.column<event::Ref>();
  refs.resize(100'000, {7, 8});
  const auto thread = batch.thread_slot(1);
  event::DumpObject object;
  object.refs = {{0, 100'000}};
  for (int i = 0; i < 3; ++i) batch.add(i, thread, 9, object);
  TestTables tables;
  RowEncoder encoder(Kind::DumpObject, tables);
  add_all(batch, tables, encoder);
  EXPECT_TRUE(encoder.full());
  std::string payload;
  encoder.finish(payload, 0);
  EXPECT_LT(payload.size(), 1000U);
  expect_same(batch, decoded(payload, tables));
}

TEST(row_segment, tells_what_is_derived_when_asked) {
  Batch batch;
  const auto thread = batch.thread_slot(1);
  batch.add(10, thread, 50, event::Throw{.class_id = 60});
  batch.add(20, thread, 51, event::Throw{});
  batch.frames = {3, 4, 5};
  batch.add(30, thread, 52, event::Throw{.stack = {{0, 3}}});
  TestTables tables;
  const base::Id callers[]{1, 2};
  const u64 path = tables.path(callers).number;
  RowEncoder encoder(Kind::Throw, tables, &tables);
  for (const event::Event& event : batch.events)
    encoder.add(batch, event, 0, tables.subject_of(event), {.path = path, .class_index = 5});
  static_cast<void>(tables.thread_index(1));
  std::string payload;
  encoder.finish(payload, 0);
  expect_same(batch, decoded(payload, tables));

  auto view = RowView::open(bytes_of(payload));
  ASSERT_TRUE(view->load(DerivedFields::told));
  Batch told;
  for (u32 row = 0; row < 3; ++row) view->add(row, tables, told);
  const auto& thrown = told.column<event::Throw>();
  EXPECT_EQ(thrown[0].class_id, 60U);    // the source's own
  EXPECT_EQ(thrown[1].class_id, 1005U);  // as TestTables::class_id()
  EXPECT_EQ(told.list(thrown[1].stack).size(), 2U);
  EXPECT_EQ(told.list(thrown[1].stack)[1], 2U);
  EXPECT_EQ(told.list(thrown[2].stack).size(), 3U);
}

// Segments that wait for the codings of another one have the bytes that they have when encoded in
// turn.
TEST(row_segment, is_the_same_whoever_encodes_it) {
  TestTables tables;
  RowEncoder in_turn(Kind::Alloc, tables, &tables);
  RowEncoder at_once(Kind::Alloc, tables, &tables);
  std::vector<std::string> expected(4), got(4);
  std::vector<RowSegment> segments;
  for (unsigned i = 0; i < 4; ++i) {
    const Batch batch = random_batch(Kind::Alloc, i, 500);
    add_all(batch, tables, in_turn);
    in_turn.finish(expected[i], i * 500);
    add_all(batch, tables, at_once);
    segments.push_back(at_once.take(i * 500));
  }
  std::vector<std::thread> threads;
  for (unsigned i = 4; i-- > 1;) threads.emplace_back([&, i] { segments[i].encode(got[i]); });
  segments[0].encode(got[0]);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(got, expected);
}

}  // namespace
}  // namespace polytrace::store
