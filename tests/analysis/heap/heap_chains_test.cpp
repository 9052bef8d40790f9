// SPDX-License-Identifier: Apache-2.0
// What keeps much alive link by link, and what only looks like it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/asked.hpp"
#include "analysis/dumped.hpp"
#include "analysis/heap/questions.hpp"
#include "analysis/heap/study.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::test {
namespace {

using event::Dump;
using event::DumpStage;

constexpr base::Id kListClass = 1, kLinkClass = 2, kPayloadClass = 3, kTaskClass = 4;
constexpr std::uint64_t kLinkBytes = 24, kPayload = 216;

// A heap that one root holds: what is added goes into one snapshot.
class HandMade {
 public:
  HandMade() : main_(batch_, 1) {
    main_.type(kListClass, "List").type(kLinkClass, "Node").type(kPayloadClass, "byte[]");
    main_.type(kTaskClass, "Task").add(10, 0, Dump{DumpStage::start, {}});
  }
  base::Id add(base::Id type, std::uint64_t size, std::vector<base::Id> to = {}) {
    std::erase(to, base::Id{0});
    const base::Id id = next_ += 0x10;
    event::Refs refs = main_.refs({});
    for (const base::Id target : to) batch_.column<event::Ref>().push_back({target, 0});
    refs.count = static_cast<std::uint32_t>(to.size());
    main_.add(10, id, object(type, size, refs));
    return id;
  }
  // A node for each payload, the first one first.
  base::Id list(const std::vector<std::uint64_t>& payloads, base::Id behind = 0) {
    base::Id next = behind;
    for (std::size_t i = payloads.size(); i-- > 0;)
      next = add(kLinkClass, kLinkBytes,
                 {next, payloads[i] == 0 ? 0 : add(kPayloadClass, payloads[i])});
    return next;
  }
  std::vector<analysis::HeapSuspect> suspects(base::Id root) {
    main_.add(10, root, event::Root{}).add(10, 0, Dump{DumpStage::end, {}});
    analysis::HeapStudy study(std::nullopt);
    study.consume(batch_);
    study.finish();
    const auto dominators = analysis::Dominators::of(study.graph());
    return analysis::heap_suspects({study.graph(), dominators, study.names()});
  }

 private:
  event::Batch batch_;
  Stream main_;
  base::Id next_ = 0x1000;
};

using Payloads = std::vector<std::uint64_t>;

TEST(heap_chains, a_list_is_told_by_its_head_and_length) {
  for (const std::size_t links : {5U, 40U, 20'001U}) {
    HandMade heap;
    const base::Id list = heap.add(kListClass, 24, {heap.list(Payloads(links, kPayload))});
    const auto suspects = heap.suspects(list);
    ASSERT_FALSE(suspects.empty()) << links;
    EXPECT_EQ(suspects.front().name, "Node");
    EXPECT_EQ(suspects.front().retained, links * (kLinkBytes + kPayload));
    EXPECT_TRUE(suspects.front().reason.starts_with(
        fmt::format("a chain of {} Node; holds {} byte[] with ", base::count_text(links),
                    base::count_text(links))))
        << suspects.front().reason;
    EXPECT_TRUE(suspects.front().reason.ends_with("; held by List")) << suspects.front().reason;
    EXPECT_EQ(suspects.size(), 1U);
  }
}

TEST(heap_chains, links_may_be_all_of_it) {
  HandMade heap;
  const auto suspects = heap.suspects(heap.list(Payloads(1000, 0)));
  ASSERT_EQ(suspects.size(), 1U);
  EXPECT_EQ(suspects[0].reason, "a chain of 1,000 Node");
}

// The last ones hold more than all behind them: the chain goes on there.
TEST(heap_chains, payloads_may_be_of_any_size) {
  HandMade heap;
  Payloads payloads(500);
  for (std::size_t i = 0; i < payloads.size(); ++i) payloads[i] = 8 + i * 7919 % 1000;
  const auto suspects = heap.suspects(heap.list(payloads));
  ASSERT_EQ(suspects.size(), 1U);
  EXPECT_TRUE(suspects[0].reason.starts_with("a chain of 500 Node; holds 500 byte[]"));
}

TEST(heap_chains, another_object_may_stand_between_the_links) {
  HandMade heap;
  base::Id next = 0;
  for (int i = 0; i < 200; ++i)
    next = heap.add(kLinkClass, kLinkBytes, {heap.add(kTaskClass, 40, {next})});
  const auto suspects = heap.suspects(next);
  ASSERT_EQ(suspects.size(), 1U);
  EXPECT_TRUE(suspects[0].reason.starts_with("a chain of 200 Node")) << suspects[0].reason;
}

// Two of them: one goes on where the other ends, of another class.
TEST(heap_chains, a_chain_behind_a_chain_is_one_of_its_own) {
  HandMade heap;
  base::Id tasks = 0;
  for (int i = 0; i < 100; ++i) tasks = heap.add(kTaskClass, 100, {tasks});
  const auto suspects = heap.suspects(heap.list(Payloads(200, 76), tasks));
  ASSERT_EQ(suspects.size(), 2U);
  EXPECT_TRUE(suspects[0].reason.starts_with("a chain of 200 Node")) << suspects[0].reason;
  EXPECT_TRUE(suspects[1].reason.starts_with("a chain of 100 Task")) << suspects[1].reason;
}

TEST(heap_chains, where_one_link_holds_it_that_is_told) {
  HandMade heap;
  Payloads payloads(10, 100);
  payloads[4] = 100'000;
  const auto suspects = heap.suspects(heap.list(payloads));
  ASSERT_EQ(suspects.size(), 1U);
  EXPECT_EQ(suspects[0].name, "byte[]");
}

// Each node has two below it, one of which holds three fifths.
TEST(heap_chains, a_tree_is_none) {
  HandMade heap;
  const auto grow = [&](const auto& self, int depth) -> base::Id {
    if (depth <= 0) return 0;
    const base::Id more = self(self, depth - 1);
    return heap.add(kLinkClass, kLinkBytes, {more, self(self, depth - 2)});
  };
  for (const auto& suspect : heap.suspects(grow(grow, 14)))
    EXPECT_FALSE(suspect.reason.starts_with("a chain")) << suspect.reason;
}

TEST(heap_chains, containers_in_containers_are_none) {
  HandMade heap;
  base::Id inner = 0;
  for (int depth = 0; depth < 4; ++depth) {
    std::vector<base::Id> all{inner};
    for (int i = 0; i < 20; ++i) all.push_back(heap.add(kPayloadClass, 50));
    inner = heap.add(kListClass, 24, {heap.add(kTaskClass, 100, all)});
  }
  for (const auto& suspect : heap.suspects(inner))
    EXPECT_FALSE(suspect.reason.starts_with("a chain")) << suspect.reason;
}

TEST(heap_suspects, a_few_bytes_are_none) {
  HandMade heap;
  EXPECT_TRUE(heap.suspects(heap.add(kListClass, 24)).empty());
}

}  // namespace
}  // namespace polytrace::test
