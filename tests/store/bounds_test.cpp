// SPDX-License-Identifier: Apache-2.0
// What an index may take and what it promises: limits that files made for it run into, and that
// honest ones do not.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/codes.hpp"
#include "base/limits.hpp"
#include "store/ask/row_sums.hpp"
#include "store/build/block_encoder.hpp"
#include "store/built.hpp"

namespace polytrace::store::indexes {
namespace {

using event::Batch;
using event::Kind;

std::uint64_t features_of(const Batch& batch, const BuildOptions& options = {}) {
  const Batch* const all[]{&batch};
  return index_of(all, options)->view().head().required;
}

TEST(index_features, are_those_that_the_index_has) {
  Batch plain;
  const auto slot = plain.thread_slot(1);
  plain.add_plain(10, slot, 5, Kind::Enter);
  plain.frames = {5};
  plain.add(15, slot, 6, event::Alloc{.size = 8, .stack = {{0, 1}}});
  plain.add_plain(20, slot, 5, Kind::Leave);
  EXPECT_EQ(features_of(plain), 0U);

  Batch details;
  details.add(10, details.thread_slot(1), 5, event::Enter{.ticket = 7});
  EXPECT_EQ(features_of(details), std::uint64_t{kCallDetails});

  Batch late;
  late.add_plain(20, late.thread_slot(1), 5, Kind::Enter);
  late.add_plain(10, late.thread_slot(1), 5, Kind::Leave);
  EXPECT_EQ(features_of(late), std::uint64_t{kLateTimes});

  Batch many;
  for (base::Id id = 1; id < 20; ++id) many.add_plain(10, many.thread_slot(1), id, Kind::Enter);
  EXPECT_EQ(features_of(many, {.most_paths = 8}), std::uint64_t{kMergedPaths});
  many.frames = {1, 30};
  many.add(20, many.thread_slot(1), 6, event::Alloc{.size = 8, .stack = {{0, 2}}});
  EXPECT_EQ(features_of(many, {.most_paths = 8}), std::uint64_t{kMergedPaths | kExplicitStacks});
}

TEST(index_features, stand_in_page_0_with_the_first_commit_that_has_them) {
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {.optional = 3, .format = "x 1"});
  ASSERT_TRUE(writer);
  Builder builder(*writer, {.commit_each = 0});
  const auto head = [&] {
    return (*IndexView::open(*base::Image::map(writer->descriptor(), writer->size())))->head();
  };
  Batch batch;
  batch.offset = 1;
  batch.add_plain(10, batch.thread_slot(1), 5, Kind::Enter);
  ASSERT_TRUE(builder.consume(batch));
  EXPECT_EQ(head().required, 0U);
  Batch details;
  details.offset = 2;
  details.add(20, details.thread_slot(1), 5, event::Leave{.ticket = 7});
  ASSERT_TRUE(builder.consume(details));
  EXPECT_EQ(head().required, std::uint64_t{kCallDetails});
  EXPECT_EQ(head().optional, 3U);
  EXPECT_EQ(head().format, "x 1");
}

TEST(index_features, that_are_not_known_are_refused_when_it_is_opened) {
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {.optional = ~std::uint64_t{0}});
  ASSERT_TRUE(writer && writer->commit({}));
  const auto open = [&] {
    return IndexView::open(*base::Image::map(writer->descriptor(), writer->size()));
  };
  EXPECT_TRUE(open());
  for (unsigned bit = 0; bit < 64; ++bit) {
    ASSERT_TRUE(writer->write_head({.required = std::uint64_t{1} << bit}));
    const auto view = open();
    EXPECT_EQ(view.has_value(), bit < 4) << bit;
    if (view) continue;
    EXPECT_EQ(view.error().code, base::Code::feature_unknown);
  }
}

// Each path is below the one before.
std::shared_ptr<const IndexFrames> deep_index(std::uint32_t depth) {
  PathTable table;
  std::uint32_t path = 0;
  for (std::uint32_t i = 0; i < depth; ++i) path = table.child(path, i);
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {});
  std::string payload;
  append_paths(table, 1, depth, payload);
  EXPECT_TRUE(writer->append({.kind = frame::paths, .count = depth, .number = 1},
                             std::as_bytes(std::span(payload))));
  EXPECT_TRUE(writer->commit({}));
  auto view = IndexView::open(*base::Image::map(writer->descriptor(), writer->size()));
  auto frames = IndexFrames::open(std::move(*view));
  EXPECT_TRUE(frames);
  return *frames;
}

TEST(index_bounds, a_path_gives_no_more_frames_than_a_stack_may_have) {
  constexpr std::size_t kMost = base::Limits{}.stack_depth;
  const auto index = deep_index(3 * kMost);
  std::vector<base::Id> frames{77};
  index->frames(kMost, frames);
  EXPECT_EQ(frames.size(), 1 + kMost);
  index->frames(3 * kMost, frames);
  EXPECT_EQ(frames.size(), 1 + 2 * kMost);
}

TEST(index_bounds, deeper_stacks_come_back_frame_by_frame) {
  constexpr std::uint32_t kMost = base::Limits{}.stack_depth;
  Told told;
  Batch& batch = told.batch;
  for (std::uint32_t i = 0; i < kMost + 1; ++i) batch.frames.push_back(i % 1000);
  batch.add(10, batch.thread_slot(1), 6, event::Alloc{.size = 8, .stack = {{0, kMost}}});
  batch.add(20, batch.thread_slot(1), 6, event::Alloc{.size = 8, .stack = {{0, kMost + 1}}});
  const Batch* const all[]{&batch};
  const auto index = index_of(all);
  EXPECT_EQ(index->view().head().required, std::uint64_t{kExplicitStacks});
  StoreReader reader(index);
  EXPECT_EQ(difference(batch, tell(reader)->batch), "");
}

TEST(index_bounds, a_chunk_takes_no_more_than_it_may) {
  Batch batch;
  for (base::Id i = 0; i < 1000; ++i) batch.frames.push_back(i);
  const auto text = batch.keep(std::string(10'000, 'x'));
  for (base::Time time = 0; time < 500; ++time) {
    batch.add(time, batch.thread_slot(1), 6, event::Alloc{.size = 8, .stack = {{0, 1000}}});
    batch.add(time, batch.thread_slot(1), 7, event::Method{.name = text});
  }
  const Batch* const all[]{&batch};
  const auto index = index_of(all);
  StoreReader reader(index, 1 << 20);
  const auto told = tell(reader);
  // 18,000 bytes for each two events.
  EXPECT_NEAR(static_cast<double>(told->batch.events.size()), 2 * (1 << 20) / 18'000.0, 2);
  ASSERT_NE(told->outcome.notices.find(base::Code::limit_exceeded), nullptr);
  StoreReader other(index);
  EXPECT_EQ(difference(batch, tell(other)->batch), "");
}

// The stacks that found no place as paths count for that of their innermost method.
TEST(index_bounds, sums_know_the_method_of_every_stack_though_paths_are_merged) {
  Batch batch;
  std::mt19937_64 engine(3);
  std::map<base::Id, std::uint64_t> truth, told;  // objects by innermost method
  for (int i = 0; i < 2000; ++i) {
    const auto first = static_cast<std::uint32_t>(batch.frames.size());
    const auto count = static_cast<std::uint32_t>(1 + engine() % 6);
    for (std::uint32_t j = 0; j < count; ++j) batch.frames.push_back(1 + engine() % 9);
    ++truth[batch.frames.back()];
    batch.add(i, batch.thread_slot(1), 50, event::Alloc{.size = 8, .stack = {{first, count}}});
  }
  const Batch* const all[]{&batch};
  const auto index = index_of(all, {.most_paths = 20});
  const auto sums = row_sums(*index, SumKind::allocations, {});
  ASSERT_TRUE(sums);
  std::size_t merged = 0;
  for (const SumEntry& sum : *sums) {
    told[index->method_id(index->paths().method(sum.key.path))] += sum.measures[0];
    merged += index->paths().is_merged(sum.key.path);
  }
  EXPECT_EQ(told, truth);
  EXPECT_EQ(merged, 9U);
  StoreReader reader(index);
  EXPECT_EQ(difference(batch, tell(reader)->batch), "");
}

}  // namespace
}  // namespace polytrace::store::indexes
