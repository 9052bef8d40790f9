// SPDX-License-Identifier: Apache-2.0
// Trees that are full: what needs no path is as exact as in a tree with room for everything.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "analysis/calls/calltree.hpp"
#include "analysis/recording.hpp"
#include "slice/stacks.hpp"

namespace polytrace::analysis {
namespace {

constexpr std::uint32_t kRoomForPaths = 64;

using U = std::uint64_t;

// Calls at random on three threads, cut into slices.
void record_at_random(Recording& recording, unsigned seed) {
  std::mt19937 random(seed);
  std::array<std::vector<base::Id>, 3> open;
  static constexpr std::array kNames = {
      "A", "B", "C", "D", "E", "(wrapper alloc) F", "G", "H", "I", "J", "(wrapper alloc) K", "L"};
  for (base::Id method = 0; method < kNames.size(); ++method)
    recording.name(method, kNames[method]);
  base::Time now = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t thread = random() % 3;
    recording.thread(thread + 1);
    now += static_cast<base::Time>(random() % 50);
    std::vector<base::Id>& stack = open[thread];
    if (stack.size() < 12 && (stack.empty() || random() % 2 == 0)) {
      stack.push_back(random() % kNames.size());
      recording.enter(now, stack.back());
    } else {
      recording.leave(now, stack.back());
      stack.pop_back();
    }
    if (i % 97 == 0) recording.cut();
  }
  recording.finish();
}

struct BothTrees {
  explicit BothTrees(const Selection& selection, unsigned seed, bool by_thread = false)
      : whole(selection, by_thread), small(selection, by_thread, kRoomForPaths) {
    Recording one(whole), other(small);
    record_at_random(one, seed);
    record_at_random(other, seed);
    EXPECT_GT(whole.nodes().size(), 50 * kRoomForPaths);
    EXPECT_TRUE(whole.limits().empty());
    EXPECT_EQ(small.limits().size(), 1U);
  }
  CallTree whole;
  CallTree small;
};

using EdgeFigures = std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<U, U>>;
EdgeFigures figures_of_edges(const CallTree& tree) {
  EdgeFigures edges;
  for (const CallEdge& edge : tree.edges()) {
    const auto fresh = edges.try_emplace({edge.method, edge.caller}, edge.calls, edge.total).second;
    EXPECT_TRUE(fresh);
  }
  return edges;
}

void expect_same_figures(const CallTree& whole, const CallTree& small) {
  ASSERT_EQ(whole.totals().size(), small.totals().size());
  for (std::size_t i = 0; i < whole.totals().size(); ++i) {
    const CallTotals &a = whole.totals()[i], &b = small.totals()[i];
    EXPECT_EQ(std::tie(a.calls, a.total, a.elapsed, a.self, a.least, a.most),
              std::tie(b.calls, b.total, b.elapsed, b.self, b.least, b.most))
        << "method " << i;
  }
  EXPECT_EQ(figures_of_edges(whole), figures_of_edges(small));
  EXPECT_EQ(whole.total(), small.total());
  EXPECT_EQ(whole.helpers().calls, small.helpers().calls);
  EXPECT_EQ(whole.helpers().self, small.helpers().self);
  EXPECT_EQ(whole.helpers().unowned, small.helpers().unowned);
}

TEST(tree_limit, figures_by_method_and_by_caller_are_whole) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Selection selection;
    selection.show_helpers = true;
    const BothTrees pair(selection, seed);
    expect_same_figures(pair.whole, pair.small);
  }
}

TEST(tree_limit, helpers_of_merged_paths_count_for_their_callers) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const BothTrees pair({}, seed);
    expect_same_figures(pair.whole, pair.small);
  }
}

TEST(tree_limit, the_parts_of_a_small_tree_are_the_whole) {
  for (const bool by_thread : {false, true}) {
    const BothTrees pair({}, 1, by_thread);
    U calls = 0, calls_of_small = 0, others = 0, self = 0, self_of_small = 0;
    for (std::uint32_t i = 0; i < pair.whole.nodes().size(); ++i) {
      calls += pair.whole.nodes()[i].calls;
      self += pair.whole.self(i);
    }
    for (std::uint32_t i = 0; i < pair.small.nodes().size(); ++i) {
      calls_of_small += pair.small.nodes()[i].calls;
      self_of_small += pair.small.self(i);
      if (pair.small.nodes()[i].method == Names::kOtherPaths) others += pair.small.nodes()[i].calls;
    }
    EXPECT_EQ(self_of_small, self);
    EXPECT_LE(calls_of_small, calls);  // helpers of merged paths are nobody's
    EXPECT_GT(others, 0U);
    EXPECT_LT(pair.small.nodes().size(), 4 * kRoomForPaths);
  }
}

TEST(tree_limit, a_late_heavy_path_is_found) {
  CallTree tree(Selection{}, false, kRoomForPaths);
  Recording recording(tree);
  base::Time now = 0;
  const auto call = [&](base::Id outer, base::Id inner, base::Time time) {
    recording.enter(now, outer).enter(now, inner);
    now += time;
    recording.leave(now, inner).leave(now, outer).cut();
  };
  for (base::Id method = 100; method < 1000; ++method) call(method, method + 1000, 10);
  for (int i = 0; i < 50; ++i) call(1, 2, 1'000'000);
  for (base::Id method = 3000; method < 4000; ++method) call(method, method + 1000, 10);
  recording.finish();
  U calls = 0;
  for (const CallTree::Node& node : tree.nodes())
    if (node.method == recording.names().methods().index(2)) calls += node.calls;
  EXPECT_EQ(calls, 50U);
}

TEST(tree_limit, a_full_tree_of_stacks_keeps_the_innermost_method) {
  StackTree tree(5);
  const std::uint32_t a = tree.child(StackTree::kRoot, 1);
  const std::uint32_t b = tree.child(a, 2);
  tree.child(b, 3);
  EXPECT_TRUE(tree.limits().empty());
  tree.child(b, 4);
  EXPECT_EQ(tree.limits().size(), 1U);
  EXPECT_EQ(tree.child(a, 2), b) << "what is known stays";
  const std::uint32_t late = tree.child(b, 7);
  EXPECT_EQ(tree.method(late), 7U);
  EXPECT_EQ(tree.method(tree.parent(late)), Names::kOtherPaths);
  EXPECT_EQ(tree.parent(tree.parent(late)), StackTree::kRoot);
  EXPECT_EQ(tree.child(a, 7), late);
}

}  // namespace
}  // namespace polytrace::analysis
