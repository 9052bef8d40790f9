// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/growth.hpp"

#include "analysis/asked.hpp"
#include "analysis/heap/study.hpp"

namespace polytrace::test {
namespace {

constexpr base::Id kOrder = 0x100, kLine = 0x200;
constexpr base::Id kSell = 0x1, kPrint = 0x2;
constexpr std::uint64_t kBytes = 24;

// What a program did, then the growth by site between its first two snapshots.
class SiteStory {
 public:
  SiteStory() : main_(batch_, kMain) {
    main_.method(kSell, "sell").method(kPrint, "print").type(kOrder, "Order").type(kLine, "Text");
  }
  SiteStory& alloc(base::Id object, base::Id type, std::initializer_list<base::Id> frames) {
    event::Alloc alloc;
    alloc.object = object;
    alloc.size = kBytes;
    if (frames.size() != 0) alloc.stack = main_.stack(frames);
    main_.add(time_++, type, alloc);
    return *this;
  }
  SiteStory& move(base::Id from, base::Id to) {
    event::Move move;
    move.to = to;
    main_.add(time_++, from, move);
    return *this;
  }
  SiteStory& free(base::Id object) {
    main_.add(time_++, object, event::Free{});
    return *this;
  }
  SiteStory& snapshot(std::initializer_list<std::pair<base::Id, base::Id>> objects) {
    main_.add(time_++, 1, event::Dump{});
    for (const auto& [id, type] : objects) {
      event::DumpObject object;
      object.class_id = type;
      object.size = kBytes;
      main_.add(time_, id, object);
    }
    main_.add(time_++, 1, event::Dump{event::DumpStage::end, {}});
    return *this;
  }
  Table growth() {
    analysis::HeapStudy study(std::nullopt);
    study.follow_sites();
    study.consume(batch_);
    study.finish();
    return study.sites()->growth(0, 1, study.names(), {"", 0});
  }

 private:
  event::Batch batch_;
  Stream main_;
  base::Time time_ = 1;
};

TEST(heap_sites, growth_follows_objects_through_moves) {
  SiteStory story;
  story.alloc(0x1000, kOrder, {kSell}).alloc(0x1100, kLine, {kSell, kPrint});
  story.snapshot({{0x1000, kOrder}, {0x1100, kLine}});
  story.move(0x1000, 0x5000).alloc(0x1000, kLine, {kPrint}).alloc(0x1200, kOrder, {kSell});
  story.snapshot({{0x5000, kOrder}, {0x1000, kLine}, {0x1200, kOrder}});
  const Table table = story.growth();
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(text(table, 0, "site"), "sell");
  EXPECT_EQ(text(table, 0, "class"), "Order");
  EXPECT_EQ(number(table, 0, "objects_growth"), 1U);
  EXPECT_EQ(number(table, 0, "after_bytes"), 2 * kBytes);
  EXPECT_EQ(text(table, 1, "site"), "print");
  EXPECT_EQ(number(table, 1, "before_objects"), 1U);
  EXPECT_EQ(number(table, 1, "after_objects"), 1U);
  EXPECT_TRUE(table.notes.empty());
}

TEST(heap_sites, what_no_allocation_told_is_unknown) {
  SiteStory story;
  story.alloc(0x1000, kOrder, {kSell}).alloc(0x1100, kOrder, {kSell}).free(0x1100);
  story.snapshot({{0x1000, kOrder}});
  // Never allocated; freed; of another class than the one that was made there.
  story.snapshot({{0x9000, kOrder}, {0x1100, kOrder}, {0x1000, kLine}});
  const Table table = story.growth();
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(text(table, 0, "site"), "(unknown)");
  EXPECT_EQ(number(table, 0, "after_objects"), 3U);
  EXPECT_EQ(number(table, 1, "after_objects"), 0U);
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_TRUE(table.notes[0].starts_with("3 objects of snapshot 1"));
}

TEST(heap_sites, say_why_nothing_is_known) {
  const auto note = [](SiteStory& story) {
    const Table table = story.snapshot({{0x1000, kOrder}}).snapshot({{0x1000, kOrder}}).growth();
    EXPECT_TRUE(table.rows.empty());
    return table.notes.size() == 1 ? table.notes[0] : std::string();
  };
  SiteStory none, without_ids, without_sites, others;
  EXPECT_TRUE(note(none).starts_with("The trace has no allocations"));
  EXPECT_EQ(note(without_ids.alloc(base::kNoId, kOrder, {kSell})),
            "Allocations come without the objects they made.");
  EXPECT_EQ(note(without_sites.alloc(0x1000, kOrder, {})),
            "Allocations come without the place in the code.");
  EXPECT_TRUE(note(others.alloc(0x7000, kOrder, {kSell})).starts_with("No object of either"));
}

}  // namespace
}  // namespace polytrace::test
