// SPDX-License-Identifier: Apache-2.0
// Segments cut anywhere, with any bit turned over, or made to deceive: an error or an answer.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "base/codes.hpp"
#include "base/frames/svb.hpp"
#include "store/rows/row_tables.hpp"
#include "support/long.hpp"
#include "support/random.hpp"

namespace polytrace::store {
namespace {

using base::Code;
using event::Batch;
using event::Kind;

std::string small_segment(Kind kind, TestTables& tables) {
  Batch batch;
  test::RandomEvents random(11);
  for (int i = 0; i < 6; ++i) random.add(batch, kind);
  RowEncoder encoder(kind, tables, &tables);
  add_all(batch, tables, encoder);
  std::string payload;
  encoder.finish(payload, 0);
  return payload;
}

// Whether all of it can be read: from memory of its own, so that a look beyond its end shows.
bool can_be_read(std::string_view payload, const RowMeanings& meanings) {
  const auto own = std::make_unique<std::byte[]>(payload.size());
  if (!payload.empty()) std::memcpy(own.get(), payload.data(), payload.size());
  auto view = RowView::open({own.get(), payload.size()});
  if (!view) return false;
  for (const ColumnEntry& entry : view->columns()) static_cast<void>(view->numbers(entry.field));
  if (!view->load(DerivedFields::told)) return false;
  Batch batch;
  for (u32 row = 0; row < view->rows(); ++row) view->add(row, meanings, batch);
  return batch.events.size() == view->rows();
}

TEST(damaged_rows, no_part_of_a_segment_is_one) {
  for (std::size_t kind = 0; kind < event::kKindCount; ++kind) {
    TestTables tables;
    const std::string payload = small_segment(static_cast<Kind>(kind), tables);
    ASSERT_TRUE(can_be_read(payload, tables)) << kind;
    for (std::size_t size = 0; size < payload.size(); ++size)
      ASSERT_FALSE(can_be_read(std::string_view(payload).substr(0, size), tables)) << size;
    EXPECT_FALSE(can_be_read(payload + '\0', tables));
  }
}

TEST(damaged_rows, a_wrong_bit_harms_nobody) {
  std::size_t read = 0;
  std::size_t refused = 0;
  for (std::size_t kind = 0; kind < event::kKindCount; ++kind) {
    TestTables tables;
    std::string payload = small_segment(static_cast<Kind>(kind), tables);
    const std::size_t step = test::is_long() ? 1 : 11;
    for (std::size_t bit = 0; bit < payload.size() * 8; bit += step) {
      const auto turn = static_cast<char>(1 << bit % 8);
      payload[bit / 8] = static_cast<char>(payload[bit / 8] ^ turn);
      ++(can_be_read(payload, tables) ? read : refused);
      payload[bit / 8] = static_cast<char>(payload[bit / 8] ^ turn);
    }
  }
  EXPECT_GT(refused, read / 10);  // of numbers in columns any value is one
  EXPECT_GT(read, 0U);
}

// A segment of one sample whose native frames are one column, made by hand.
class Deceiver {
 public:
  explicit Deceiver(u64 length) {
    base::append_svb(std::span(&length, 1), list_);
    const ColumnEntry constant{.field = 0, .least = 1, .greatest = 1};
    list_.append(reinterpret_cast<const char*>(&constant), sizeof constant);
  }
  std::string payload() const {
    const auto size = static_cast<u32>(list_.size());
    const RowHead head{.kind = 29, .rows = 1, .columns = 3};
    const ColumnEntry entries[]{{.field = kTimeField, .type = ColumnType::integer},
                                {.field = kThreadField},
                                {.field = field_number(Kind::Sample, "natives"),
                                 .type = ColumnType::list,
                                 .coding = static_cast<u8>(Coding::list),
                                 .stored = size,
                                 .raw = size}};
    std::string payload(reinterpret_cast<const char*>(&head), sizeof head);
    payload.append(reinterpret_cast<const char*>(entries), sizeof entries);
    return payload + list_;
  }

 private:
  std::string list_;
};

TEST(damaged_rows, lists_beyond_all_bounds_take_no_memory) {
  TestTables tables;
  EXPECT_TRUE(can_be_read(Deceiver(5).payload(), tables));
  for (const u64 length : {kMostElements + 1, u64{1} << 40, ~u64{0}}) {
    const std::string payload = Deceiver(length).payload();
    auto view = RowView::open(bytes_of(payload));
    ASSERT_TRUE(view);
    const auto loaded = view->load();
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, Code::count_too_large);
  }
}

TEST(damaged_rows, values_that_their_type_cannot_hold_are_refused) {
  Batch batch;
  batch.add(5, batch.thread_slot(1), 1, event::Jit{.stage = event::JitStage::freed});
  TestTables tables;
  RowEncoder encoder(Kind::Jit, tables);
  add_all(batch, tables, encoder);
  std::string payload;
  encoder.finish(payload, 0);
  ASSERT_TRUE(can_be_read(payload, tables));
  auto view = RowView::open(bytes_of(payload));
  const auto stage = static_cast<std::size_t>(view->find(0) - view->columns().data());
  const std::size_t least =
      sizeof(RowHead) + stage * sizeof(ColumnEntry) + offsetof(ColumnEntry, least);
  EXPECT_EQ(payload[least], static_cast<char>(event::JitStage::freed));
  ++payload[least];  // there is no such stage
  EXPECT_FALSE(can_be_read(payload, tables));
}

}  // namespace
}  // namespace polytrace::store
