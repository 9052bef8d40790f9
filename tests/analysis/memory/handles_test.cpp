// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include "analysis/asked.hpp"

namespace polytrace::test {
namespace {

using event::Finalize;
using event::FinalizeStage;
using event::Handle;
using event::HandleKind;
using event::HandleStage;

Handle handle(HandleStage stage, HandleKind kind, event::Stack stack = {}) {
  Handle out;
  out.stage = stage;
  out.type = kind;
  out.stack = stack;
  return out;
}

TEST(handles, created_destroyed_most_and_leaks) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.method(1, "Main").method(2, "(wrapper native) Alloc");
  main.add(1, 10, handle(HandleStage::created, HandleKind::normal, main.stack({1, 2})));
  main.add(2, 20, handle(HandleStage::created, HandleKind::normal));
  main.add(3, 20, handle(HandleStage::destroyed, HandleKind::normal));
  main.add(4, 20, handle(HandleStage::created, HandleKind::weak));  // the id again
  Asked asked(analysis::make_handles({}));
  asked.feed(batch).finish();
  const Table kinds = asked.table("handles");
  ASSERT_EQ(kinds.rows.size(), 2U);
  EXPECT_EQ(text(kinds, 0, "kind"), "weak");
  EXPECT_EQ(number(kinds, 0, "living"), 1U);
  EXPECT_EQ(text(kinds, 1, "kind"), "normal");
  EXPECT_EQ(number(kinds, 1, "created"), 2U);
  EXPECT_EQ(number(kinds, 1, "destroyed"), 1U);
  EXPECT_EQ(number(kinds, 1, "most"), 2U);
  const Table leaks = asked.table("handle_leaks");
  ASSERT_EQ(leaks.rows.size(), 2U);
  const std::size_t row = text(leaks, 0, "site") == "Main" ? 0 : 1;
  EXPECT_EQ(text(leaks, row, "site"), "Main");
  EXPECT_EQ(number(leaks, row, "first"), 1U);
  EXPECT_EQ(asked.headlines().at(0), "3 handles were created, 2 never destroyed.");
}

TEST(handles, an_end_that_is_read_before_its_beginning_is_no_leak) {
  event::Batch batch;
  Stream(batch, kOther).add(9, 10, handle(HandleStage::destroyed, HandleKind::pinned));
  Stream(batch, kMain)
      .add(3, 10, handle(HandleStage::created, HandleKind::pinned))
      .add(12, 10, handle(HandleStage::created, HandleKind::pinned));
  Asked asked(analysis::make_handles({}));
  asked.feed(batch).finish();
  EXPECT_EQ(number(asked.table("handles"), 0, "living"), 1U);
  EXPECT_EQ(number(asked.table("handle_leaks"), 0, "first"), 12U);
}

TEST(finalization, rounds_and_objects) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(5, 1, Finalize{FinalizeStage::object_end})  // began before the recording
      .add(10, 0, Finalize{FinalizeStage::round_start})
      .add(20, 1, Finalize{FinalizeStage::object_start})
      .add(50, 1, Finalize{FinalizeStage::object_end})
      .add(60, 2, Finalize{FinalizeStage::object_start})
      .add(65, 2, Finalize{FinalizeStage::object_end})
      .add(70, 0, Finalize{FinalizeStage::round_end})
      .add(80, 0, Finalize{FinalizeStage::round_start});
  const Table table =
      Asked(analysis::make_finalization({})).feed(batch).finish().table("finalization");
  EXPECT_EQ(number(table, 0, "rounds"), 2U);
  EXPECT_EQ(number(table, 0, "round_total"), 60U);
  EXPECT_EQ(number(table, 0, "objects"), 2U);
  EXPECT_EQ(number(table, 0, "object_total"), 35U);
  EXPECT_EQ(number(table, 0, "object_longest"), 30U);
}

}  // namespace
}  // namespace polytrace::test
